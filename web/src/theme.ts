import { effect, signal } from '@preact/signals';

// The theme follows the system until the user chooses one. The choice is stored in this browser.

const STORED = 'varve.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

type Theme = 'light' | 'dark';

const chosen = localStorage.getItem(STORED);
export const theme = signal<Theme>(chosen === 'light' || chosen === 'dark' ? chosen : dark.matches ? 'dark' : 'light');

dark.addEventListener('change', () => {
  if (localStorage.getItem(STORED) === null) theme.value = dark.matches ? 'dark' : 'light';
});

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  localStorage.setItem(STORED, theme.value);
}

import type { JSX } from 'preact';

const PATHS = {
  memories: 'M5 6h14M5 12h14M5 18h9',
  mind: 'M12 4a6 6 0 0 0-6 6c0 2 .8 3.4 2 4.6V18h8v-3.4c1.2-1.2 2-2.6 2-4.6a6 6 0 0 0-6-6zM9.5 21h5',
  turn: 'M5 5h14v10H11l-4 4v-4H5z',
  sessions: 'M4 5h11v8H8l-4 3zM18 9h2v10l-4-3h-6v-1',
  timeline: 'M12 4v16M12 8h6M12 13H6M12 18h5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.6 2.6-6 6-6s6 2.4 6 6M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14.300c2 .8 3.5 2.8 3.5 5.7',
  intentions: 'M12 21a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 8v5l3 2',
  facts: 'M6 4h12v17l-6-4-6 4z',
  review: 'M4 12l5 5L20 6',
  health: 'M3 13h4l2.5-7 5 13 2.5-6h4',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
  restore: 'M4 9h10a5 5 0 0 1 0 10H8M4 9l4-4M4 9l4 4',
  forget: 'M4 4l16 16M10 6c6-1.5 9.5 3 10.5 6a12 12 0 0 1-3 4.300M6 8c-1.6 1.2-2.5 2.8-3 4 1 3 4.5 7.2 10.5 5.7',
  erase: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5',
  close: 'M6 6l12 12M18 6L6 18',
  back: 'M15 5l-7 7 7 7',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.600L7 7M17 17l1.4 1.400M18.4 5.600L17 7M7 17l-1.4 1.4',
  moon: 'M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z',
  out: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  copy: 'M9 9h10v11H9zM5 15V4h10',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="9" />
      <path d="M7 10.500c3-2 6-2 9 0s6 2 9 0" class="layer-1" />
      <path d="M7 16.500c3-2 6-2 9 0s6 2 9 0" class="layer-2" />
      <path d="M7 22.500c3-2 6-2 9 0s6 2 9 0" class="layer-3" />
    </svg>
  );
}

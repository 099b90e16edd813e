import { render } from 'preact';
import { App } from './app.tsx';
import { post } from './api.ts';
import { go, resume, signIn, signInMessage } from './state.ts';
import './styles/styles.css';

/** Signs in with the one-time link that the server prints. The code is removed from the address before anything else. */
async function enterByLink(): Promise<boolean> {
  const code = /^#\/sign-in\/([\w-]+)$/.exec(location.hash)?.[1];
  if (code === undefined) return false;
  // The route was read when the page loaded. It is read again here, without the code.
  go('#/', { replace: true });
  try {
    const { secret } = await post<{ secret: string }>('/inspector/sign-in', { body: { code } });
    await signIn(secret);
    return true;
  } catch {
    signInMessage.value =
      'This link was used already or is too old. Use a key, or start the server again for a new link.';
    return false;
  }
}

const root = document.getElementById('app') as HTMLElement;
if (!(await enterByLink())) await resume();
render(<App />, root);

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api.ts';
import { Button } from '../components/basics.tsx';
import { Logo } from '../components/icons.tsx';
import { signIn, signInMessage } from '../state.ts';

/** The sign-in page. The key stays in this tab. */
export function SignIn(): JSX.Element {
  const [key, setKey] = useState('');
  const [isBusy, setBusy] = useState(false);
  const enter = async (): Promise<void> => {
    setBusy(true);
    try {
      await signIn(key.trim());
    } catch (error) {
      signInMessage.value = messageOf(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <Logo />
        <h1>Varve</h1>
        <p class="muted">See what is remembered, and why.</p>
        <label class="field">
          <span>API key</span>
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="varve_…"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        {signInMessage.value === '' ? null : (
          <p class="problem" role="alert">
            {signInMessage.value}
          </p>
        )}
        <Button kind="primary" type="submit" disabled={isBusy || key.trim() === ''}>
          Sign in
        </Button>
        <p class="muted small">
          The key stays in this tab and is gone when you close it. On the machine that runs the server, you can also
          open the link that the server prints when it starts.
        </p>
      </form>
    </main>
  );
}

import type { JSX } from 'preact';
import { messageOf } from '../api.ts';
import { dismiss, reread, say, toasts } from '../state.ts';
import { Button, Text } from './basics.tsx';

/** Short messages about completed actions, with an undo button where possible. */
export function Toasts(): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isError, undo }) => (
        <div key={id} class={`toast ${isError ? 'toast-error' : ''}`}>
          <span>
            <Text of={text} />
          </span>
          {undo === null ? null : (
            <Button
              kind="quiet"
              onClick={() => {
                dismiss(id);
                undo().then(
                  () => {
                    say('Undone.');
                    reread();
                  },
                  (error: unknown) => say(messageOf(error), { isError: true }),
                );
              }}
            >
              Undo
            </Button>
          )}
          <Button kind="quiet" icon="close" aria-label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, messageOf, post } from '../api.ts';
import { Button, Logo } from '../components/basics.tsx';
import { changes, go, href, isOperator, loadOwners, owners, say } from '../state.ts';

interface DemoState {
  state: 'offered' | 'loading' | 'unavailable';
  title: string;
  /** The number of replayed conversations (`done`) among all conversations of the demo (`of`). */
  done: number;
  of: number;
}

const LOOK_AGAIN = 700;

/** The page of an empty store: it says how to fill the store, and offers a demo life. */
export function WelcomeView(): JSX.Element {
  const [demo, setDemo] = useState<DemoState | null>(null);
  const look = async (): Promise<void> => {
    if (isOperator.value) setDemo(await get<DemoState>('/inspector/demo').catch(() => null));
  };
  useEffect(() => void look(), []);
  // The first memory from the application also closes the welcome page.
  useEffect(() => {
    if (changes.value.count > 0 && demo?.state !== 'loading') void loadOwners();
  }, [changes.value.count]);
  useEffect(() => {
    if (demo?.state !== 'loading') return undefined;
    const timer = setInterval(() => {
      void look().then(async () => {
        const now = await get<DemoState>('/inspector/demo').catch(() => null);
        if (now?.state === 'loading') return;
        clearInterval(timer);
        await loadOwners();
        const owner = owners.value[0];
        if (owner !== undefined) go(href('memories', [], { agent: owner.agent, user: owner.user }));
      });
    }, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [demo?.state]);
  const load = async (): Promise<void> => {
    try {
      setDemo(await post<DemoState>('/inspector/demo'));
    } catch (error) {
      say(messageOf(error), { isError: true });
    }
  };
  return (
    <div class="welcome">
      <Logo />
      <h1>Nothing is remembered yet</h1>
      <p class="lead">As soon as an agent logs a conversation, the memories that are formed from it appear here.</p>
      {demo === null || demo.state === 'unavailable' ? null : (
        <section class="welcome-demo">
          <h2>Look at a demo first</h2>
          <p>{demo.title}</p>
          {demo.state === 'loading' ? (
            <div role="status">
              <progress value={demo.done} max={demo.of} aria-label="Replaying the conversations" />
              <p class="muted">
                {demo.done === 0 ? 'Opening …' : `Replaying: conversation ${demo.done} of ${demo.of}`}
              </p>
            </div>
          ) : (
            <Button kind="primary" onClick={() => void load()}>
              Load the demo life
            </Button>
          )}
        </section>
      )}
      <p class="muted">
        To begin with your own data, see the <a href="/docs/">docs</a>.
      </p>
    </div>
  );
}

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, messageOf, post } from '../api.ts';
import { Button } from '../components/basics.tsx';
import { Logo } from '../components/icons.tsx';
import { changes, go, href, isOperator, loadOwners, owners, say } from '../state.ts';

interface DemoState {
  state: 'offered' | 'loading' | 'unavailable';
  title: string;
  /** The user of the demo. */
  user: string;
  /** The number of replayed conversations (`done`) among all conversations of the demo (`of`). */
  done: number;
  of: number;
}

const LOOK_AGAIN = 700;

/** The page of an empty store: it says how to fill the store, and offers a demo life. */
export function WelcomeView(): JSX.Element {
  const [isLoading, setLoading] = useState(false);
  // The first memory from the application also closes the welcome page, but the demo closes it only when all of it is loaded.
  useEffect(() => {
    if (changes.value.count > 0 && !isLoading) void loadOwners();
  }, [changes.value.count]);
  return (
    <div class="welcome">
      <Logo />
      <h1>Nothing is remembered yet</h1>
      <p class="lead">As soon as an agent logs a conversation, the memories that are formed from it appear here.</p>
      <DemoOffer title="Look at a demo first" onLoad={() => setLoading(true)} />
      <p class="muted">
        To begin with your own data, see the <a href="/docs/">docs</a>.
      </p>
    </div>
  );
}

/** The page that offers the demo life beside the data of other users. */
export function DemoView(): JSX.Element {
  return (
    <div class="welcome">
      <Logo />
      <h1>Demo</h1>
      <p class="lead">
        An invented person whose memories fill most views. They are stored under a user of their own, and other users
        are not changed.
      </p>
      <DemoOffer title="Load the demo beside your own data" />
    </div>
  );
}

/** Offers to load the demo life, and shows its progress. Keys that may not load it see nothing. */
function DemoOffer({ title, onLoad }: { title: string; onLoad?(): void }): JSX.Element | null {
  const [demo, setDemo] = useState<DemoState | null>(null);
  const look = async (): Promise<DemoState | null> => {
    const found = isOperator.value ? await get<DemoState>('/inspector/demo').catch(() => null) : null;
    setDemo(found);
    return found;
  };
  const addressOf = (user: string | undefined): string | null => {
    const owner = owners.value.find((each) => each.user === user);
    return owner === undefined ? null : href('memories', [], { agent: owner.agent, user: owner.user });
  };
  useEffect(() => void look(), []);
  useEffect(() => {
    if (demo?.state !== 'loading') return undefined;
    const timer = setInterval(() => {
      void look().then(async (now) => {
        if (now?.state === 'loading') return;
        clearInterval(timer);
        await loadOwners();
        const address = addressOf(demo.user);
        if (address !== null) go(address);
      });
    }, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [demo?.state]);
  const load = async (): Promise<void> => {
    try {
      onLoad?.();
      setDemo(await post<DemoState>('/inspector/demo'));
    } catch (error) {
      say(messageOf(error), { isError: true });
    }
  };
  if (demo === null) return null;
  if (demo.state === 'unavailable') {
    const address = addressOf(demo.user);
    return address === null ? null : (
      <p>
        The demo is loaded: <a href={address}>open the memories of {demo.user}</a>.
      </p>
    );
  }
  return (
    <section class="welcome-demo">
      <h2>{title}</h2>
      <p>{demo.title}</p>
      {demo.state === 'loading' ? (
        <div role="status">
          <progress value={demo.done} max={demo.of} aria-label="Replaying the conversations" />
          <p class="muted">{demo.done === 0 ? 'Opening …' : `Replaying: conversation ${demo.done} of ${demo.of}`}</p>
        </div>
      ) : (
        <Button kind="primary" onClick={() => void load()}>
          Load the demo life
        </Button>
      )}
    </section>
  );
}

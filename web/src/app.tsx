import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Text } from './components/basics.tsx';
import { Icon, type IconName, Logo } from './components/icons.tsx';
import { Empty } from './components/loaded.tsx';
import { OwnerPicker } from './components/owner-picker.tsx';
import { Toasts } from './components/toasts.tsx';
import { go, href, isEmpty, isLive, isOperator, isPersonal, me, route, scope, signOut } from './state.ts';
import { theme, toggleTheme } from './theme.ts';
import { FactsView } from './views/facts.tsx';
import { HealthView } from './views/health.tsx';
import { IntentionsView } from './views/intentions.tsx';
import { MemoriesView } from './views/memories.tsx';
import { MindView } from './views/mind.tsx';
import { PeopleView } from './views/people.tsx';
import { PersonalView } from './views/personal.tsx';
import { ReviewView } from './views/review.tsx';
import { SessionsView } from './views/sessions.tsx';
import { SignIn } from './views/sign-in.tsx';
import { TimelineView } from './views/timeline.tsx';
import { TurnView } from './views/turn.tsx';
import { DemoView, WelcomeView } from './views/welcome.tsx';

interface View {
  id: string;
  title: string;
  icon: IconName;
  show(): JSX.Element;
}

/** The views for engineers and operators. On a phone, the first four are in the bar at the bottom. */
const VIEWS: readonly View[] = [
  { id: 'memories', title: 'Memories', icon: 'memories', show: () => <MemoriesView /> },
  { id: 'mind', title: 'Mind', icon: 'mind', show: () => <MindView /> },
  { id: 'turn', title: 'Turn', icon: 'turn', show: () => <TurnView /> },
  { id: 'sessions', title: 'Sessions', icon: 'sessions', show: () => <SessionsView /> },
  { id: 'timeline', title: 'Timeline', icon: 'timeline', show: () => <TimelineView /> },
  { id: 'people', title: 'People and things', icon: 'people', show: () => <PeopleView /> },
  { id: 'intentions', title: 'Intentions', icon: 'intentions', show: () => <IntentionsView /> },
  { id: 'facts', title: 'Facts', icon: 'facts', show: () => <FactsView /> },
  { id: 'review', title: 'Review', icon: 'review', show: () => <ReviewView /> },
  { id: 'health', title: 'Growth and health', icon: 'health', show: () => <HealthView /> },
];

/** The page that offers the demo, which the owner picker opens. */
const DEMO: View = { id: 'demo', title: 'Demo', icon: 'memories', show: () => <DemoView /> };

/** The views for a person with a key to their own memory. */
const PERSONAL_VIEWS: readonly View[] = [
  { id: 'you', title: 'About you', icon: 'memories', show: () => <PersonalView /> },
  { id: 'sessions', title: 'Conversations', icon: 'sessions', show: () => <SessionsView /> },
  { id: 'timeline', title: 'Timeline', icon: 'timeline', show: () => <TimelineView /> },
  { id: 'people', title: 'People', icon: 'people', show: () => <PeopleView /> },
];

const IN_BAR = 4;

export function App(): JSX.Element {
  if (me.value === null) {
    return (
      <>
        <SignIn />
        <Toasts />
      </>
    );
  }
  return <Shell />;
}

function Shell(): JSX.Element {
  const views = isPersonal.value ? PERSONAL_VIEWS : VIEWS;
  const view = currentView(views);
  const main = useRef<HTMLElement>(null);
  const person = isPersonal.value ? (me.value?.key.users?.[0] ?? null) : null;
  const { view: wanted } = route.value;

  useEffect(() => {
    if (person !== null && scope.value.user === null && wanted !== '')
      go(href(wanted, route.value.parts, { user: person }), { replace: true });
  }, [person, wanted]);
  useEffect(() => {
    document.title = `${view?.title ?? 'No such page'} · Varve`;
  }, [view?.id]);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <TopBar home={views[0]?.id ?? ''} person={person} />
      <Navigation views={views} current={view?.id} />
      <main id="main" class="main" ref={main} tabIndex={-1}>
        {isEmpty.value && person === null ? <WelcomeView /> : (view?.show() ?? <NoSuchPage />)}
      </main>
      <Toasts />
    </div>
  );
}

/** The view that the address names. Without a name it is the first view. */
function currentView(views: readonly View[]): View | undefined {
  const { view: wanted } = route.value;
  // With a personal key a single memory can still be opened from the timeline.
  if (isPersonal.value && wanted === 'memories') return VIEWS[0];
  if (wanted === '') return views[0];
  return (isOperator.value ? [...views, DEMO] : views).find(({ id }) => id === wanted);
}

/** The bar at the top. A person with a key to their own memory sees their name instead of the picker. */
function TopBar({ home, person }: { home: string; person: string | null }): JSX.Element {
  return (
    <header class="top">
      <a class="brand" href={href(home)} aria-label="Varve">
        <Logo />
        <span class="brand-name">Varve</span>
      </a>
      {person === null ? <OwnerPicker /> : <span class="who">{person}</span>}
      <span class="top-end">
        <span
          class={`live ${isLive.value ? 'is-live' : ''}`}
          role="status"
          title={isLive.value ? 'Changes appear as they happen' : 'Connecting'}
        >
          <span class="live-dot" />
          <span class="live-text">{isLive.value ? 'Live' : 'Offline'}</span>
        </span>
        <Button
          kind="quiet"
          icon={theme.value === 'dark' ? 'sun' : 'moon'}
          aria-label={theme.value === 'dark' ? 'Light colours' : 'Dark colours'}
          onClick={toggleTheme}
        />
        <Button kind="quiet" icon="out" aria-label="Sign out" onClick={() => signOut()} />
      </span>
    </header>
  );
}

function Navigation({ views, current }: { views: readonly View[]; current: string | undefined }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [current]);
  return (
    <nav class={`nav ${isOpen ? 'nav-open' : ''}`} aria-label="Views">
      <ul>
        {views.map(({ id, title, icon }, index) => (
          <li key={id} class={index >= IN_BAR ? 'nav-more' : ''}>
            <a href={href(id)} aria-current={id === current ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{title}</span>
            </a>
          </li>
        ))}
        {views.length > IN_BAR ? (
          <li class="nav-toggle">
            <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              <Icon name="more" />
              <span>More</span>
            </button>
          </li>
        ) : null}
      </ul>
    </nav>
  );
}

function NoSuchPage(): JSX.Element {
  return (
    <Empty title="This page does not exist">
      <p>
        There is no view <Text of={route.value.view} />. Choose one in the navigation.
      </p>
    </Empty>
  );
}

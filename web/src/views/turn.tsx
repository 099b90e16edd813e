import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get, messageOf, post } from '../api.ts';
import { Button, Fields, Panel, Tabs, Text } from '../components/basics.tsx';
import { Empty, LoadedList } from '../components/loaded.tsx';
import { NeedsOwner } from '../components/needs-owner.tsx';
import { go, hasOwner, href, route, say, scope } from '../state.ts';
import type { Context, LoggedContext, Report, Scope, Section } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { ago, dateTime, label, number, percent, plural } from '../words.ts';
import { SectionBars, Stack } from './context-sections.tsx';

/** The context that the agent would get for a message, or the logged context of a past turn. */
export function TurnView(): JSX.Element {
  const logged = route.value.parts[0] ?? null;
  if (!hasOwner.value) return <NeedsOwner what="A context is assembled for one person." />;
  return (
    <div class="page">
      <h1>Turn</h1>
      <Tabs
        label="Turn"
        tabs={[
          { id: 'new', title: 'Try a message' },
          { id: 'past', title: 'Past turns' },
        ]}
        current={logged === null ? 'new' : 'past'}
        onChange={(id) => go(href('turn', id === 'new' ? [] : ['past']))}
      />
      {logged === null ? <Try place={scope.value} /> : <Past place={scope.value} chosen={logged} />}
    </div>
  );
}

function Try({ place }: { place: Scope }): JSX.Element {
  const [context, setContext] = useState<Context | null>(null);
  const assemble = async (message: string, budget: string): Promise<void> => {
    try {
      const body = { message, ...(budget === '' ? {} : { budget: Number(budget) }) };
      setContext(await post<Context>('/v1/context', { scope: place, body }));
    } catch (error) {
      say(messageOf(error), { isError: true });
    }
  };
  return (
    <>
      <MessageForm onAssemble={assemble} />
      {context === null ? (
        <Empty title="What would the agent know?">
          <p>Write a message as the user would. The context that the agent gets for it appears here, part by part.</p>
        </Empty>
      ) : (
        <Assembled context={context} place={place} />
      )}
    </>
  );
}

function MessageForm({ onAssemble }: { onAssemble(message: string, budget: string): Promise<void> }): JSX.Element {
  const [message, setMessage] = useState('');
  const [budget, setBudget] = useState('');
  const [isBusy, setBusy] = useState(false);
  const assemble = async (event: SubmitEvent | KeyboardEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    await onAssemble(message, budget);
    setBusy(false);
  };
  return (
    <form class="try" onSubmit={(event) => void assemble(event)}>
      <label class="field">
        <span>What the user says now</span>
        <textarea
          rows={2}
          value={message}
          placeholder="What could I cook for her tonight?"
          onInput={(event) => setMessage(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey) void assemble(event);
          }}
        />
      </label>
      <div class="try-row">
        <label class="field field-small">
          <span>Token budget</span>
          <input
            type="number"
            min="1"
            inputMode="numeric"
            placeholder="8000"
            value={budget}
            onInput={(event) => setBudget(event.currentTarget.value)}
          />
        </label>
        <Button kind="primary" type="submit" disabled={isBusy}>
          Assemble the context
        </Button>
      </div>
    </form>
  );
}

function Assembled({ context, place }: { context: Context; place: Scope }): JSX.Element {
  const { report } = context;
  return (
    <>
      <Panel
        title={`${number(report.tokens.total)} of ${number(report.tokens.limit)} tokens`}
        aside={
          <span class="muted">
            layout {report.layout}, {Math.round(report.milliseconds)} ms
          </span>
        }
      >
        <Stack
          sections={report.sections}
          total={report.tokens.total}
          limit={report.tokens.limit}
          reserve={report.tokens.plannedReserve}
        />
        <SectionBars sections={report.sections} place={place} />
        {report.off.length === 0 ? null : <p class="muted">Switched off: {report.off.map(label).join(', ')}.</p>}
        {report.failed.length === 0 ? null : (
          <p class="problem">
            Left out because it failed:{' '}
            {report.failed.map(({ section, error }) => `${label(section)} (${error})`).join(', ')}
          </p>
        )}
      </Panel>
      <LookedUp report={report} />
      <ContextText context={context} />
    </>
  );
}

function LookedUp({ report: { lookup, saving, stable } }: { report: Report }): JSX.Element {
  const share = percent(saving.raw === 0 ? null : saving.injected / saving.raw);
  return (
    <Panel title="What was looked up, and why">
      <Fields
        rows={[
          ['Searched for', lookup.queries.length === 0 ? 'nothing' : <Text of={lookup.queries.join(' · ')} />],
          ['Because', `${lookup.reason} (by ${lookup.by})`],
          [
            'Memory given',
            `${number(saving.injected)} tokens, compared with ${number(saving.raw)} of the whole history (${share})`,
          ],
          ['Stays the same', `${number(stable.tokens)} tokens at the beginning, for the provider’s cache`],
        ]}
      />
    </Panel>
  );
}

function ContextText({ context: { system, messages, user, report } }: { context: Context }): JSX.Element {
  const [shown, setShown] = useState('system');
  const asMessages = JSON.stringify(
    [{ role: 'system', content: system }, ...messages, { role: 'user', content: user }],
    null,
    2,
  );
  const texts: Readonly<Record<string, string>> = { system, user, messages: asMessages };
  return (
    <Panel
      title="The text"
      aside={
        <span class="panel-actions">
          <Button icon="copy" onClick={() => copy(`${system}\n\n${user}`, 'The text was')}>
            Copy as text
          </Button>
          <Button icon="copy" onClick={() => copy(asMessages, 'The messages were')}>
            Copy as messages
          </Button>
        </span>
      }
    >
      <Tabs
        label="Part of the context"
        tabs={[
          { id: 'system', title: `System prompt (${number(report.tokens.system)})` },
          { id: 'user', title: `User’s turn (${number(report.tokens.user)})` },
          { id: 'messages', title: 'As messages' },
        ]}
        current={shown}
        onChange={setShown}
      />
      <pre class="prompt" tabIndex={0}>
        <Text of={texts[shown] ?? ''} />
      </pre>
    </Panel>
  );
}

function copy(text: string, what: string): void {
  navigator.clipboard.writeText(text).then(
    () => say(`${what} copied.`),
    () => say('The browser does not allow this page to copy.', { isError: true }),
  );
}

function Past({ place, chosen }: { place: Scope; chosen: string }): JSX.Element {
  const query = useQuery(
    (signal) => get<{ items: LoggedContext[] }>('/v1/contexts', { scope: place, query: { limit: 100 }, signal }),
    [place],
  );
  return (
    <LoadedList
      query={query}
      empty={
        <Empty title="No turns yet">
          <p>Each context that an agent asks for is logged here, with its parts but without its text.</p>
        </Empty>
      }
    >
      {({ items }) => {
        const context = items.find(({ id }) => id === chosen) ?? items[0];
        return (
          <div class="columns">
            <ul class="pick-list" aria-label="Past turns">
              {items.map(({ id, at, tokens, parts, scope: { session } }) => (
                <li key={id}>
                  <a href={href('turn', [id])} aria-current={id === context?.id ? 'true' : undefined}>
                    <strong>{ago(at)}</strong>
                    <span class="muted">
                      {number(tokens)} tokens, {plural(parts.length, 'part')}
                      {session === null ? '' : `, ${session}`}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
            {context === undefined ? null : <LoggedTurn context={context} place={place} />}
          </div>
        );
      }}
    </LoadedList>
  );
}

function LoggedTurn({ context, place }: { context: LoggedContext; place: Scope }): JSX.Element {
  const sections = context.parts.map(({ section, tokens, ids, items, dropped, reasons, cut }): Section => ({
    section: section as Section['section'],
    place: 'system',
    budget: null,
    wanted: tokens,
    taken: tokens,
    items,
    ids,
    dropped: (Object.keys(reasons).length === 0 && dropped > 0
      ? Array.from({ length: dropped }, () => 'for a reason that was not logged')
      : Object.entries(reasons).flatMap(([reason, count]) => Array.from({ length: count }, () => reason))
    ).map((reason) => ({ id: null, reason })),
    cut,
  }));
  return (
    <Panel title={dateTime(context.at)} aside={<span class="muted">{context.milliseconds} ms</span>}>
      <Stack sections={sections} total={context.tokens} limit={Math.max(context.tokens, 1)} reserve={0} />
      <SectionBars sections={sections} place={place} />
    </Panel>
  );
}

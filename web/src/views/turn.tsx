import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask, get, messageOf, post } from '../api.ts';
import { Badge, Button, Empty, Fields, Loaded, Panel, Tabs, Text, hueOf } from '../components/basics.tsx';
import { MemoryLink } from '../components/memory-bits.tsx';
import { speakerOf } from '../components/quotes.tsx';
import { NeedsOwner } from '../components/needs-owner.tsx';
import { go, hasOwner, href, route, say, scope } from '../state.ts';
import type { Context, Event, LoggedContext, Memory, Scope, Section } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { ago, dateTime, label, number, percent, plural } from '../words.ts';

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
  const [message, setMessage] = useState('');
  const [budget, setBudget] = useState('');
  const [context, setContext] = useState<Context | null>(null);
  const [isBusy, setBusy] = useState(false);
  const assemble = async (): Promise<void> => {
    setBusy(true);
    try {
      const body = { message, ...(budget === '' ? {} : { budget: Number(budget) }) };
      setContext(await post<Context>('/v1/context', { scope: place, body }));
    } catch (error) {
      say(messageOf(error), { isError: true });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <form
        class="try"
        onSubmit={(event) => {
          event.preventDefault();
          void assemble();
        }}
      >
        <label class="field">
          <span>What the user says now</span>
          <textarea
            rows={2}
            value={message}
            placeholder="What could I cook for her tonight?"
            onInput={(event) => setMessage(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey) return;
              event.preventDefault();
              void assemble();
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

function Assembled({ context, place }: { context: Context; place: Scope }): JSX.Element {
  const { report } = context;
  const [shown, setShown] = useState('system');
  const messages = [
    { role: 'system', content: context.system },
    ...context.messages,
    { role: 'user', content: context.user },
  ];
  const texts: Record<string, string> = {
    system: context.system,
    user: context.user,
    messages: JSON.stringify(messages, null, 2),
  };
  const copy = (text: string, what: string): void =>
    void navigator.clipboard.writeText(text).then(
      () => say(`${what} copied.`),
      () => say('The browser does not allow this page to copy.', { isError: true }),
    );
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
      <Panel title="What was looked up, and why">
        <Fields
          rows={[
            [
              'Searched for',
              report.lookup.queries.length === 0 ? 'nothing' : <Text of={report.lookup.queries.join(' · ')} />,
            ],
            ['Because', `${report.lookup.reason} (by ${report.lookup.by})`],
            [
              'Memory given',
              `${number(report.saving.injected)} tokens, compared with ${number(report.saving.raw)} of the whole history (${percent(
                report.saving.raw === 0 ? null : report.saving.injected / report.saving.raw,
              )})`,
            ],
            ['Stays the same', `${number(report.stable.tokens)} tokens at the beginning, for the provider’s cache`],
          ]}
        />
      </Panel>
      <Panel
        title="The text"
        aside={
          <span class="panel-actions">
            <Button icon="copy" onClick={() => copy(`${context.system}\n\n${context.user}`, 'The text was')}>
              Copy as text
            </Button>
            <Button icon="copy" onClick={() => copy(texts['messages'] ?? '', 'The messages were')}>
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
    </>
  );
}

const SECTION_HUES: Readonly<Record<string, number>> = {
  facts: 0,
  profile: 1,
  workingMemory: 2,
  memories: 3,
  scaffold: 4,
  intentions: 5,
  recall: 6,
  history: 7,
  summaries: 8,
  message: 9,
  userReflections: 10,
  learnings: 11,
};
const sectionHue = (section: string): number => SECTION_HUES[section] ?? hueOf(section);

/** All sections in one bar, against the limit. */
function Stack({
  sections,
  total,
  limit,
  reserve,
}: {
  sections: readonly Section[];
  /** Includes headings and separators. */
  total: number;
  limit: number;
  reserve: number;
}): JSX.Element {
  const taken = sections.filter((section) => section.taken > 0);
  // A context of 600 tokens in a limit of 8,000 would be too thin to read, so the bar uses at least a quarter of its width.
  const width = Math.min(1, Math.max(total / limit, 0.25));
  const sum = taken.reduce((so, section) => so + section.taken, 0);
  let at = 0;
  return (
    <div class="stack">
      <svg
        viewBox="0 0 1000 36"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${total} of ${limit} tokens are used`}
      >
        <rect width="1000" height="36" rx="6" class="stack-ground" />
        {taken.map((section) => {
          const size = (section.taken / Math.max(1, sum)) * width * 1000;
          const x = at;
          at += size;
          return (
            <rect
              key={section.section}
              x={x}
              width={Math.max(size - 2, 1)}
              height="36"
              class={`fill-${sectionHue(section.section)}`}
            >
              <title>{`${label(section.section)}: ${section.taken} tokens`}</title>
            </rect>
          );
        })}
      </svg>
      <p class="stack-scale muted">
        <span>{total / limit < 0.25 ? 'not to scale' : ''}</span>
        <span>
          {limit > total ? `${number(limit - total)} free` : ''}
          {reserve > 0 ? `, ${number(reserve)} of them reserved` : ''}
        </span>
      </p>
    </div>
  );
}

function SectionBars({ sections, place }: { sections: readonly Section[]; place: Scope }): JSX.Element {
  const [open, setOpen] = useState<string | null>(null);
  const most = Math.max(...sections.map(({ wanted, budget }) => Math.max(wanted, budget ?? 0)), 1);
  return (
    <ul class="section-bars">
      {sections.map((section) => {
        const { section: name, taken, wanted, budget, items, dropped, cut, ids } = section;
        const hasMore = ids.length > 0 || dropped.length > 0;
        return (
          <li key={name}>
            <button
              type="button"
              disabled={!hasMore}
              aria-expanded={hasMore ? open === name : undefined}
              onClick={() => setOpen(open === name ? null : name)}
            >
              <span class="section-name">
                <span class={`swatch hue-${sectionHue(name)}`} />
                {label(name)}
              </span>
              <svg viewBox="0 0 300 14" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(wanted / most) * 300} height="14" rx="3" class="bar-wanted" />
                <rect width={(taken / most) * 300} height="14" rx="3" class={`fill-${sectionHue(name)}`} />
                {budget === null ? null : (
                  <line x1={(budget / most) * 300} x2={(budget / most) * 300} y1="0" y2="14" class="bar-budget" />
                )}
              </svg>
              <span class="section-numbers">
                {number(taken)}
                {budget === null ? '' : ` / ${number(budget)}`}
                <span class="muted"> · {plural(items, 'item')}</span>
                {cut ? <Badge tone="warn">cut</Badge> : null}
              </span>
              {dropped.length === 0 ? null : (
                <span class="section-dropped muted">{whyLeftOut(dropped.map(({ reason }) => reason))}</span>
              )}
            </button>
            {open === name ? <SectionItems section={section} place={place} /> : null}
          </li>
        );
      })}
    </ul>
  );
}

/** "Left out: 2 already in the profile, 1 over the budget of its section". The reasons name sections by their technical names. */
function whyLeftOut(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const told = [...counts].map(([reason, count]) => {
    const [, before = '', section = ''] = /^(already in the )(\w+)$/.exec(reason) ?? [];
    return `${number(count)} ${section === '' ? reason : `${before}${label(section).toLowerCase()}`}`;
  });
  return `Left out: ${told.join(', ')}`;
}

const MOST_ITEMS = 12;

function SectionItems({ section, place }: { section: Pick<Section, 'ids' | 'dropped'>; place: Scope }): JSX.Element {
  const [shown, setShown] = useState(MOST_ITEMS);
  return (
    <div class="section-items">
      {section.ids.slice(0, shown).map((id) => (
        <Item key={id} id={id} place={place} />
      ))}
      {section.ids.length > shown ? (
        <Button kind="quiet" onClick={() => setShown(section.ids.length)}>
          {section.ids.length - shown} more
        </Button>
      ) : null}
      {section.dropped.length === 0 ? null : <h4>Left out</h4>}
      {section.dropped.map(({ id, reason }, index) => (
        <div key={`${id} ${index}`} class="dropped">
          {id === null ? null : <Item id={id} place={place} />}
          <span class="muted">{reason}</span>
        </div>
      ))}
    </div>
  );
}

/** A record of a context, by its id: a memory, an event or a document. */
function Item({ id, place }: { id: string; place: Scope }): JSX.Element {
  const isMemory = id.startsWith('mem_');
  const memory = useQuery(
    isMemory ? (signal) => ask<Memory>('GET', `/v1/memories/${id}`, { scope: place, signal }) : null,
    [id],
    { live: false },
  );
  const isEvent = id.startsWith('evt_');
  const event = useQuery(
    isEvent ? (signal) => ask<Event>('GET', `/v1/events/${id}`, { scope: place, signal }) : null,
    [id],
    { live: false },
  );
  if (isEvent) return <Loaded query={event}>{(found) => <TurnLink event={found} />}</Loaded>;
  if (!isMemory) return <span class="muted">a document</span>;
  return <Loaded query={memory}>{(found) => <MemoryLink memory={found} />}</Loaded>;
}

function TurnLink({ event }: { event: Event }): JSX.Element {
  const { agent, user, session } = event.scope;
  return (
    <a class="memory-link" href={href('sessions', session === null ? [] : [session], { agent, user, turn: event.id })}>
      <span class="memory-link-text">
        <Text of={event.content} />
      </span>
      <span class="memory-link-meta">
        {speakerOf(event)} · {dateTime(event.occurredAt)}
      </span>
    </a>
  );
}

function Past({ place, chosen }: { place: Scope; chosen: string }): JSX.Element {
  const query = useQuery(
    (signal) => get<{ items: LoggedContext[] }>('/v1/contexts', { scope: place, query: { limit: 100 }, signal }),
    [place],
  );
  return (
    <Loaded query={query}>
      {({ items }) => {
        if (items.length === 0) {
          return (
            <Empty title="No turns yet">
              <p>Each context that an agent asks for is logged here, with its parts but without its text.</p>
            </Empty>
          );
        }
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
    </Loaded>
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

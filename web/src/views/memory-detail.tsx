import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { get } from '../api.ts';
import { Badge, Button, Fields, Meter, Panel, Text, TypeBadge } from '../components/basics.tsx';
import { Loaded } from '../components/loaded.tsx';
import { archivedAs, MemoryLink, MemoryText, TrustBadge } from '../components/memory-bits.tsx';
import { Quotes } from '../components/quotes.tsx';
import { Versions } from '../components/versions.tsx';
import { scopeOf } from '../memory-actions.ts';
import { signalName } from '../signal-names.ts';
import { scope } from '../state.ts';
import type { Links, Memory, RecallResult, Revision } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { date, dateTime, dueDay, label, ownerName, percent, statedDay } from '../words.ts';
import { Actions } from './memory-commands.tsx';

/** Everything about one memory. */
export function MemoryDetail({
  id,
  ranked,
  asked,
  onClose,
}: {
  id: string;
  ranked: RecallResult | null;
  asked: string;
  onClose(): void;
}): JSX.Element {
  const place = scope.value;
  const query = useQuery(
    (signal) => get<Memory>(`/v1/memories/${encodeURIComponent(id)}`, { scope: place, signal }),
    [id, place],
  );
  const heading = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (query.data?.id === id) heading.current?.focus({ preventScroll: true });
  }, [query.data?.id]);
  return (
    <div class="detail" ref={heading} tabIndex={-1}>
      <div class="detail-back">
        <Button icon="back" kind="quiet" onClick={onClose}>
          All memories
        </Button>
      </div>
      <Loaded query={query}>
        {(memory) => <Detail memory={memory} ranked={ranked} asked={asked} onClose={onClose} />}
      </Loaded>
    </div>
  );
}

function Detail({
  memory,
  ranked,
  asked,
  onClose,
}: {
  memory: Memory;
  ranked: RecallResult | null;
  asked: string;
  onClose(): void;
}): JSX.Element {
  const place = scopeOf(memory);
  const path = `/v1/memories/${memory.id}`;
  const links = useQuery((signal) => get<Links>(`${path}/links`, { scope: place, signal }), [memory.id]);
  const history = useQuery(
    (signal) => get<{ items: Revision[] }>(`${path}/history`, { scope: place, signal }),
    [memory.id, memory.version],
  );
  return (
    <article class="statement">
      <Heading memory={memory} />
      <Actions memory={memory} onGone={onClose} />
      {ranked === null || ranked.explanation.length === 0 ? null : <WhyHere result={ranked} asked={asked} />}
      <Panel title="The statement">
        <Statement memory={memory} />
      </Panel>
      <Panel title="Where it was said">
        <Loaded query={links}>{({ events }) => <Quotes memory={memory} events={events} />}</Loaded>
      </Panel>
      <Loaded query={links}>{(found) => <Replacements links={found} />}</Loaded>
      <SourceAndTrust memory={memory} />
      <Panel title="Versions">
        <Loaded query={history}>{({ items }) => <Versions memory={memory} revisions={items} />}</Loaded>
      </Panel>
      <Use memory={memory} use={links.data?.use ?? null} />
      <details class="raw">
        <summary>The record as it is stored</summary>
        <pre tabIndex={0}>{JSON.stringify(memory, null, 2)}</pre>
      </details>
    </article>
  );
}

function Heading({ memory }: { memory: Memory }): JSX.Element {
  const isArchived = memory.archivedAt !== null;
  return (
    <header class="statement-head">
      <div class="badges">
        <TypeBadge type={memory.type} />
        {isArchived ? <Badge tone="warn">{archivedAs(memory)}</Badge> : <Badge tone="good">live</Badge>}
        {memory.permanent ? <Badge tone="good">permanent fact</Badge> : null}
        {memory.polarity === 'denied' ? <Badge tone="warn">denied</Badge> : null}
        {memory.state === null ? null : <Badge>{memory.state}</Badge>}
        <TrustBadge memory={memory} />
      </div>
      <h1 dir="auto" class={isArchived ? 'is-archived' : ''}>
        <MemoryText memory={memory} />
      </h1>
    </header>
  );
}

function Statement({ memory }: { memory: Memory }): JSX.Element {
  const day = (at: string | null): string => (at === null ? '–' : date(statedDay(memory, at)));
  return (
    <Fields
      rows={[
        ['About', <Text of={memory.subject || '–'} />],
        ['Attribute', memory.attribute === null ? '–' : label(memory.attribute)],
        ['Value', memory.value === null ? '–' : <Text of={memory.value} />],
        ['Time', TENSES[memory.tense] ?? memory.tense],
        ['True from', day(memory.validFrom)],
        ['True until', day(memory.validTo)],
        memory.dueAt === null ? null : [dueDay(memory) === null ? 'Brought up on' : 'Due', day(memory.dueAt)],
        ['Said on', dateTime(memory.statedAt)],
        ['Known since', dateTime(memory.createdAt)],
        memory.archivedAt === null
          ? null
          : ['Out of recall since', `${dateTime(memory.archivedAt)}, ${archivedAs(memory)}`],
        memory.expiresAt === null ? null : ['Expires', date(memory.expiresAt)],
        [
          'Importance',
          <span class="with-meter">
            <Meter share={memory.importance} label={`Importance ${percent(memory.importance)}`} />
            {memory.importance.toFixed(2)}
          </span>,
        ],
        memory.category === null ? null : ['Category', label(memory.category)],
        memory.tags.length === 0 ? null : ['Tags', <Text of={memory.tags.join(', ')} />],
        ['Memory of', ownerName(memory.scope)],
      ]}
    />
  );
}

const TENSES: Readonly<Record<string, string>> = {
  holds: 'true until it changes',
  habit: 'a habit',
  happened: 'happened, and is over',
  planned: 'planned',
};

function SourceAndTrust({ memory }: { memory: Memory }): JSX.Element {
  return (
    <Panel title="Source and trust">
      <p>{trustSentence(memory)}</p>
      <Fields
        rows={[
          ['Said by', memory.statedBy],
          ['Source', label(memory.sourceType)],
          ['Read by', memory.reader === null ? 'stored directly' : memory.reader],
          ['Confidence', memory.confidence],
          ['Trust', memory.trust],
        ]}
      />
    </Panel>
  );
}

function trustSentence({ statedBy, trust, sourceType, confidence }: Memory): string {
  const who =
    {
      user: 'The user said it',
      agent: 'The assistant said it',
      tool: 'A tool gave it',
      document: 'A document says it',
      system: 'The application stored it',
    }[statedBy as string] ?? `It comes from ${statedBy}`;
  const how =
    {
      explicit: 'explicitly',
      conversation: 'in conversation',
      inference: 'and this memory was inferred from it',
      consolidation: 'and this memory was merged from others',
      import: 'and it was imported',
    }[sourceType as string] ?? '';
  const believed =
    {
      high: 'It is trusted, and may replace statements with less trust.',
      medium: 'It is trusted until a source with more trust contradicts it.',
      low: 'It is marked as unverified and cannot replace what the user said.',
    }[trust as string] ?? 'It is not trusted, and is marked wherever it is shown.';
  return `${who} ${how}, with ${confidence} confidence. ${believed}`;
}

function Replacements({ links }: { links: Links }): JSX.Element | null {
  const groups = [
    ['Replaced by', links.replacedBy],
    ['Replaces', links.replaced],
    ['Made of', links.madeOf],
    ['Part of', links.madeInto],
  ] as const;
  if (groups.every(([, list]) => list.length === 0)) return null;
  return (
    <Panel title="What it replaced, and what replaced it">
      {groups.map(([title, list]) =>
        list.length === 0 ? null : (
          <div key={title} class="link-group">
            <h3>{title}</h3>
            {list.map((memory) => (
              <MemoryLink key={memory.id} memory={memory} />
            ))}
          </div>
        ),
      )}
    </Panel>
  );
}

function Use({ memory, use }: { memory: Memory; use: Links['use'] }): JSX.Element {
  return (
    <Panel title="Use">
      <Fields
        rows={[
          ['Read', `${memory.accessCount} times`],
          ['Last read', dateTime(memory.lastAccessedAt)],
          ['Given to the model', String(use?.given ?? 0)],
          ['Used in an answer', String(use?.used ?? 0)],
          ['Confirmed', String(use?.confirmed ?? 0)],
          ['Corrected', String(use?.corrected ?? 0)],
        ]}
      />
    </Panel>
  );
}

/** The signals of recall: each is value times weight, and their sum is the score. */
function WhyHere({ result, asked }: { result: RecallResult; asked: string }): JSX.Element {
  const shares = result.explanation
    .map(({ signal, value, weight }) => ({ signal, share: value * weight }))
    .filter(({ share }) => Math.abs(share) > 0.0005)
    .sort((one, other) => Math.abs(other.share) - Math.abs(one.share));
  const most = Math.max(...shares.map(({ share }) => Math.abs(share)), 0.0001);
  // Without negative signals the bars use the whole width.
  const zero = shares.some(({ share }) => share < 0) ? 100 : 4;
  return (
    <Panel title={<>Why it ranks here for “{asked}”</>}>
      <p class="muted">
        It helps to answer with a probability of {percent(result.relevance)}. Found by{' '}
        {result.arms.join(', ') || 'its words'}.
        {zero === 100 ? ' Bars to the right raise its rank, and bars to the left lower it.' : ''}
      </p>
      <ul class="signals">
        {shares.map(({ signal, share }) => (
          <li key={signal}>
            <span class="signal-name">{signalName(signal)}</span>
            <svg class="signal-bar" viewBox="0 0 200 10" preserveAspectRatio="none" aria-hidden="true">
              <line x1={zero} x2={zero} y1="0" y2="10" class="signal-zero" />
              <rect
                x={share >= 0 ? zero : zero - (Math.abs(share) / most) * (zero - 4)}
                width={(Math.abs(share) / most) * (share >= 0 ? 196 - zero : zero - 4)}
                y="1.5"
                height="7"
                rx="2"
                class={share >= 0 ? 'signal-up' : 'signal-down'}
              />
            </svg>
            <span class="signal-value">
              {share >= 0 ? '+' : '−'}
              {Math.abs(share).toFixed(3)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

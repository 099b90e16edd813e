import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../api.ts';
import { Button, Chip, Text, TypeBadge } from '../components/basics.tsx';
import { Empty, Loaded } from '../components/loaded.tsx';
import { MemoryText } from '../components/memory-bits.tsx';
import { hasOwner, href, isPersonal, memoryTypes, scope } from '../state.ts';
import type { Memory, MemoryRows } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { date, dueDay, month, monthsOf, statedDay } from '../words.ts';

type Kind = 'began' | 'changed' | 'ended' | 'happened' | 'planned';

interface Moment {
  at: string;
  kind: Kind;
  memory: Memory;
  /** The replacement of the memory, or its predecessor. */
  other: Memory | null;
}

const TITLES: Readonly<Record<Kind, string>> = {
  began: 'Learned',
  changed: 'Changed',
  ended: 'Ended',
  happened: 'Happened',
  planned: 'Planned',
};

const PAGE = 300;
const MOST = 500;

const KINDS = Object.keys(TITLES) as Kind[];

/** The timeline of an owner: what began, changed, happened, ended and is planned. */
export function TimelineView(): JSX.Element {
  const place = scope.value;
  const [kinds, setKinds] = useState<ReadonlySet<Kind>>(new Set(KINDS));
  const [limit, setLimit] = useState(PAGE);
  const query = useQuery(
    (signal) =>
      get<MemoryRows>('/v1/memory-rows', {
        scope: place,
        query: { archived: 'include', order: 'stated', limit },
        signal,
      }),
    [place, limit],
  );
  return (
    <div class="page">
      <h1>{isPersonal.value ? 'Your timeline' : 'Timeline'}</h1>
      <KindFilter kinds={kinds} onChange={setKinds} />
      <Loaded query={query}>
        {({ items, total }) => {
          const moments = momentsOf(items).filter(({ kind }) => kinds.has(kind));
          if (moments.length === 0)
            return (
              <Empty title="Nothing on the timeline yet">
                <p>What is learned from conversations appears here at its day.</p>
              </Empty>
            );
          return (
            <>
              <Density moments={moments} />
              <Months moments={moments} />
              {total > items.length && limit < MOST ? (
                <Button onClick={() => setLimit(MOST)}>Show earlier entries</Button>
              ) : null}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function KindFilter({
  kinds,
  onChange,
}: {
  kinds: ReadonlySet<Kind>;
  onChange(kinds: ReadonlySet<Kind>): void;
}): JSX.Element {
  return (
    <div class="chips" role="group" aria-label="What to show">
      {KINDS.map((kind) => (
        <Chip key={kind} isOn={kinds.has(kind)} onClick={() => onChange(kinds.symmetricDifference(new Set([kind])))}>
          {TITLES[kind]}
        </Chip>
      ))}
    </div>
  );
}

function Months({ moments }: { moments: readonly Moment[] }): JSX.Element {
  return (
    <ol class="timeline">
      {byMonth(moments).map(([title, list]) => (
        <li key={title}>
          <h2 id={monthId(title)}>{title}</h2>
          <ol>
            {list.map((moment) => (
              <MomentItem key={`${moment.kind} ${moment.memory.id}`} moment={moment} />
            ))}
          </ol>
        </li>
      ))}
    </ol>
  );
}

const monthId = (title: string): string => `m-${title.replaceAll(' ', '-')}`;

const SHOWN = new Set(['superseded', 'contradicted', 'expired', 'decayed', 'forgotten', 'pruned']);

function momentsOf(all: readonly Memory[]): Moment[] {
  // The types to which no request to forget refers are whole texts and what Varve has derived: they are not events of a life.
  const memories = all.filter(({ type }) => memoryTypes.value.get(type)?.forgettable !== false);
  const byId = new Map(memories.map((memory) => [memory.id, memory]));
  const moments = memories.flatMap((memory): Moment[] => {
    const replaced = memory.contradicts === null ? null : (byId.get(memory.contradicts) ?? null);
    const kind = beginning(memory, replaced);
    const began = memory.validFrom === null ? memory.statedAt : statedDay(memory, memory.validFrom);
    const start = { at: kind === 'planned' ? (dueDay(memory) ?? began) : began, kind, memory, other: replaced };
    const isOver = memory.archivedAt !== null && SHOWN.has(memory.archiveReason ?? '');
    const isReplaced = memory.contradictedBy !== null && byId.has(memory.contradictedBy);
    // A replaced memory is shown with its replacement.
    if (!isOver || isReplaced) return [start];
    const ended = memory.validTo === null ? (memory.archivedAt ?? memory.statedAt) : statedDay(memory, memory.validTo);
    return [start, { at: ended, kind: 'ended', memory, other: null }];
  });
  return moments.sort((one, other) => other.at.localeCompare(one.at));
}

function beginning({ tense, dueAt }: Memory, replaced: Memory | null): Kind {
  if (tense === 'planned' || dueAt !== null) return 'planned';
  if (tense === 'happened') return 'happened';
  return replaced === null ? 'began' : 'changed';
}

function byMonth(moments: readonly Moment[]): [string, Moment[]][] {
  const groups = new Map<string, Moment[]>();
  for (const moment of moments) {
    const title = month(moment.at);
    groups.set(title, [...(groups.get(title) ?? []), moment]);
  }
  return [...groups];
}

function MomentItem({ moment: { at, kind, memory, other } }: { moment: Moment }): JSX.Element {
  return (
    <li class={`moment moment-${kind}`}>
      <time dateTime={at}>{date(at)}</time>
      <a href={href('memories', [memory.id], { agent: memory.scope.agent, user: memory.scope.user })}>
        <span class="moment-kind">{TITLES[kind]}</span>
        <span class={kind === 'ended' ? 'struck' : ''}>
          <MemoryText memory={memory} />
        </span>
        {other === null ? null : (
          <span class="moment-before">
            before: <Text of={other.content} />
          </span>
        )}
        <span class="moment-meta">
          <TypeBadge type={memory.type} />
          {hasOwner.value || memory.scope.user === null ? null : <span class="muted">{memory.scope.user}</span>}
        </span>
      </a>
    </li>
  );
}

/** A strip with the number of entries of each month, which navigates to the month. */
function Density({ moments }: { moments: readonly Moment[] }): JSX.Element {
  const months = monthsOf(moments.map(({ at }) => at));
  const counts = new Map(byMonth(moments).map(([title, list]) => [title, list.length]));
  const most = Math.max(...counts.values(), 1);
  return (
    <nav class="density" aria-label="Months">
      {months.map((title, index) => {
        if (title === null)
          return (
            <span key={`gap ${index}`} class="density-gap" title="Nothing for more than a year">
              …
            </span>
          );
        const count = counts.get(title) ?? 0;
        const isFirst = months[index - 1] == null || title.startsWith('Jan');
        return (
          <button
            key={title}
            type="button"
            title={`${title}: ${count}`}
            disabled={count === 0}
            onClick={() => document.getElementById(monthId(title))?.scrollIntoView({ block: 'start' })}
          >
            <svg viewBox="0 0 10 40" preserveAspectRatio="none" aria-hidden="true">
              <rect y={40 - (count / most) * 38} width="10" height={(count / most) * 38} rx="1.5" />
            </svg>
            <span>{title.slice(0, 3)}</span>
            <span>{isFirst ? title.slice(-4) : '\u00A0'}</span>
            <span class="visually-hidden">{`${title}: ${count}`}</span>
          </button>
        );
      })}
    </nav>
  );
}

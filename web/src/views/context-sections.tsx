import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../api.ts';
import { Badge, Button, Swatch, Text } from '../components/basics.tsx';
import { Loaded } from '../components/loaded.tsx';
import { MemoryLink } from '../components/memory-bits.tsx';
import { speakerOf } from '../components/quotes.tsx';
import { hueColor, sectionHue } from '../hues.ts';
import { href } from '../state.ts';
import type { Event, Memory, Scope, Section } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { dateTime, label, number, plural } from '../words.ts';

/** All sections in one bar, against the limit. */
export function Stack({
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
              style={{ fill: hueColor(sectionHue(section.section)) }}
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

export function SectionBars({ sections, place }: { sections: readonly Section[]; place: Scope }): JSX.Element {
  const [open, setOpen] = useState<string | null>(null);
  const most = Math.max(...sections.map(({ wanted, budget }) => Math.max(wanted, budget ?? 0)), 1);
  return (
    <ul class="section-bars">
      {sections.map((section) => {
        const { section: name, ids, dropped } = section;
        const hasMore = ids.length > 0 || dropped.length > 0;
        return (
          <li key={name}>
            <button
              type="button"
              disabled={!hasMore}
              aria-expanded={hasMore ? open === name : undefined}
              onClick={() => setOpen(open === name ? null : name)}
            >
              <SectionBar section={section} most={most} />
            </button>
            {open === name ? <SectionItems section={section} place={place} /> : null}
          </li>
        );
      })}
    </ul>
  );
}

/** The tokens that a section took and wanted, against its budget. The longest bar has `most` tokens. */
function SectionBar({
  section: { section: name, taken, wanted, budget, items, dropped, cut },
  most,
}: {
  section: Section;
  most: number;
}): JSX.Element {
  const lengthOf = (tokens: number): number => (tokens / most) * 300;
  return (
    <>
      <span class="section-name">
        <Swatch hue={sectionHue(name)} />
        {label(name)}
      </span>
      <svg viewBox="0 0 300 14" preserveAspectRatio="none" aria-hidden="true">
        <rect width={lengthOf(wanted)} height="14" rx="3" class="bar-wanted" />
        <rect width={lengthOf(taken)} height="14" rx="3" style={{ fill: hueColor(sectionHue(name)) }} />
        {budget === null ? null : (
          <line x1={lengthOf(budget)} x2={lengthOf(budget)} y1="0" y2="14" class="bar-budget" />
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
    </>
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
  const kind = id.startsWith('mem_') ? 'memories' : id.startsWith('evt_') ? 'events' : null;
  const query = useQuery(
    kind === null ? null : (signal) => get<Memory | Event>(`/v1/${kind}/${id}`, { scope: place, signal }),
    [id],
    { live: false },
  );
  if (kind === null) return <span class="muted">a document</span>;
  return (
    <Loaded query={query}>
      {(found) => ('origin' in found ? <TurnLink event={found} /> : <MemoryLink memory={found} />)}
    </Loaded>
  );
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

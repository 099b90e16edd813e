import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get, orNone } from '../api.ts';
import { Badge, Button, Panel, Tabs, Text } from '../components/basics.tsx';
import { Empty, Loaded } from '../components/loaded.tsx';
import { Diff } from '../components/diff.tsx';
import { NeedsOwner } from '../components/needs-owner.tsx';
import { hasOwner, scope } from '../state.ts';
import type { Block, BlockKindName, Revision, Scope } from '../types.ts';
import { useQuery, useRested } from '../use-query.ts';
import { dateTime, label, plural } from '../words.ts';
import { WrittenDocument } from './written-document.tsx';

const DOCUMENTS: readonly { id: BlockKindName; title: string; about: string; empty: string }[] = [
  {
    id: 'working_memory',
    title: 'Working memory',
    about: 'What matters to this person right now.',
    empty: 'Sentences about what occupies the person now appear here after the first consolidation, within a day.',
  },
  {
    id: 'profile',
    title: 'Profile',
    about: 'The person in six sections, rewritten every night.',
    empty: 'A description of the person in six sections appears here after the first nightly reflection.',
  },
  {
    id: 'scaffold',
    title: label('scaffold'),
    about: 'Values about the person under keys that the agent chooses. The API calls these notes the scaffold.',
    empty: 'Values appear here when the agent stores some with updateUserContext, or a model finds some to store.',
  },
  {
    id: 'reflections',
    title: 'Reflections',
    about: 'What the agent keeps in mind about working with this person.',
    empty: 'Observations about working with the person appear here when a language model has formed and merged some.',
  },
  {
    id: 'learned_info',
    title: 'Learned info',
    about: 'What was learned about the person’s tools and connections.',
    empty:
      'Values appear here when the application writes the block learned_info of this person; those of a single connection are part of that connection.',
  },
];

/** The documents that prompts are made from, now or as of a past time. */
export function MindView(): JSX.Element {
  const [kind, setKind] = useState<BlockKindName>('working_memory');
  if (!hasOwner.value) return <NeedsOwner what="These documents belong to one person." />;
  const document = DOCUMENTS.find(({ id }) => id === kind);
  return (
    <div class="page">
      <h1>Mind</h1>
      <Tabs
        label="Documents"
        tabs={DOCUMENTS.map(({ id, title }) => ({ id, title }))}
        current={kind}
        onChange={(id) => setKind(id as BlockKindName)}
      />
      <p class="muted">{document?.about}</p>
      <Document key={kind} kind={kind} place={scope.value} empty={document?.empty ?? ''} />
    </div>
  );
}

interface ReadBlock {
  asOf?: string;
  signal: AbortSignal;
}

/** A block; `none` if it has no version at the time. The history is asked first, because browsers report a 404 as an error. */
async function readBlock(kind: BlockKindName, place: Scope, { asOf, signal }: ReadBlock): Promise<Block | 'none'> {
  const [first] = (await readHistory(kind, place, signal)).items;
  if (first === undefined || (asOf !== undefined && asOf < first.at)) return 'none';
  return orNone(get<Block>(`/v1/blocks/${kind}`, { scope: place, query: { asOf }, signal }));
}

const readHistory = (kind: BlockKindName, place: Scope, signal: AbortSignal): Promise<{ items: Revision[] }> =>
  get(`/v1/blocks/${kind}/history`, { scope: place, signal });

const STEPS = 1000;
const SLIDER_RESTS = 80;

function Document({ kind, place, empty }: { kind: BlockKindName; place: Scope; empty: string }): JSX.Element {
  const history = useQuery((signal) => readHistory(kind, place, signal), [kind, place]);
  const oldest = history.data?.items[0]?.at;
  const slider = useTimeSlider(oldest);
  const { asOf } = slider;
  const latest = useQuery((signal) => readBlock(kind, place, { signal }), [kind, place]);
  const past = useQuery(
    asOf === undefined ? null : (signal) => readBlock(kind, place, { asOf, signal }),
    [kind, place, asOf],
    { live: false, keep: true },
  );
  return (
    <>
      {oldest === undefined ? null : <TimeSlider {...slider} />}
      <Loaded query={asOf === undefined ? latest : past}>
        {(found) =>
          found === 'none' ? (
            <Empty title={oldest === undefined ? 'Not written yet' : 'Not yet written at that time'}>
              <p>{empty}</p>
            </Empty>
          ) : (
            <Panel
              title={`Version ${found.version}`}
              aside={<span class="muted">written {dateTime(found.updatedAt)}</span>}
            >
              {typeof found.content === 'string' ? (
                <WrittenDocument text={found.content} kind={kind} place={place} asOf={asOf} />
              ) : (
                <Values of={found.content} kind={kind} place={place} asOf={asOf} />
              )}
            </Panel>
          )
        }
      </Loaded>
      <Loaded query={history}>{({ items }) => <History revisions={items} current={latest.data} />}</Loaded>
    </>
  );
}

interface TimeSliderState {
  step: number;
  onStep(step: number): void;
  timeOf(step: number): string;
  /** The chosen time; undefined is now. */
  asOf: string | undefined;
}

/** The position of a slider between the first version of a document and now. */
function useTimeSlider(oldest: string | undefined): TimeSliderState {
  const [step, onStep] = useState(STEPS);
  const rested = useRested(step, SLIDER_RESTS);
  // The time is fixed while the page is open. Otherwise a position of the slider would mean another time at every rendering.
  const [now] = useState(Date.now);
  const from = oldest === undefined ? now : Date.parse(oldest) - 3_600_000;
  const timeOf = (at: number): string => new Date(from + ((now - from) * at) / STEPS).toISOString();
  return { step, onStep, timeOf, asOf: rested === STEPS ? undefined : timeOf(rested) };
}

function TimeSlider({ step, onStep, timeOf }: TimeSliderState): JSX.Element {
  const isNow = step === STEPS;
  return (
    <div class="time-slider">
      <input
        id="as-of"
        type="range"
        aria-label="As of"
        min="0"
        max={STEPS}
        value={step}
        aria-valuetext={isNow ? 'now' : dateTime(timeOf(step))}
        onInput={(event) => onStep(Number(event.currentTarget.value))}
      />
      <output for="as-of">{isNow ? 'Now' : `As of ${dateTime(timeOf(step))}`}</output>
      {isNow ? null : (
        <Button kind="quiet" onClick={() => onStep(STEPS)}>
          Back to now
        </Button>
      )}
    </div>
  );
}

interface EntryNote {
  confidence?: string;
  confirmedAt?: string;
}

/** The values of a document without sentences. The structured notes also have their confidence, from a block of its own. */
function Values({
  of: value,
  kind,
  place,
  asOf,
}: {
  of: unknown;
  kind: BlockKindName;
  place: Scope;
  asOf: string | undefined;
}): JSX.Element {
  const { data } = useQuery(kind === 'scaffold' ? (signal) => readBlock('tier_notes', place, { asOf, signal }) : null, [
    kind,
    place,
    asOf,
  ]);
  const content = data === 'none' ? null : data?.content;
  const notes = (content as { scaffold?: Record<string, EntryNote> } | null | undefined)?.scaffold ?? {};
  if (typeof value !== 'object' || value === null)
    return (
      <p>
        <Text of={String(value)} />
      </p>
    );
  return (
    <ul class="tree">
      {Object.entries(value).map(([key, entry]) => (
        <Branch key={key} name={key} value={entry} note={notes[key] ?? null} />
      ))}
    </ul>
  );
}

function Branch({ name, value, note }: { name: string; value: unknown; note: EntryNote | null }): JSX.Element {
  const isLeaf = typeof value !== 'object' || value === null;
  const confidence =
    note?.confidence === undefined ? null : (
      <Badge tone={{ high: 'good', low: 'warn' }[note.confidence] ?? 'plain'}>{note.confidence} confidence</Badge>
    );
  const confirmed =
    note?.confirmedAt === undefined ? null : <span class="muted"> confirmed {dateTime(note.confirmedAt)}</span>;
  if (isLeaf) {
    return (
      <li>
        <strong>{label(name)}</strong> <Text of={String(value)} /> {confidence} {confirmed}
      </li>
    );
  }
  return (
    <li>
      <details open>
        <summary>
          <strong>{/^\d+$/.test(name) ? `#${Number(name) + 1}` : label(name)}</strong> {confidence} {confirmed}
        </summary>
        <ul>
          {Object.entries(value as object).map(([key, entry]) => (
            <Branch key={key} name={key} value={entry} note={null} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function contentText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? null, null, 2);
}

function History({
  revisions,
  current,
}: {
  revisions: Revision[];
  current: Block | 'none' | null;
}): JSX.Element | null {
  const [open, setOpen] = useState<number | null>(null);
  if (revisions.length === 0) return null;
  const after = (index: number): string => {
    const next = revisions[index + 1]?.before as { content?: unknown } | null | undefined;
    if (next !== null && next !== undefined) return contentText(next.content);
    return current === null || current === 'none' ? '' : contentText(current.content);
  };
  return (
    <Panel title={`History, ${plural(revisions.length, 'change')}`}>
      <ol class="history">
        {revisions
          .map((revision, index) => ({ revision, index }))
          .toReversed()
          .map(({ revision, index }) => (
            <li key={revision.version}>
              <button
                type="button"
                aria-expanded={open === index}
                onClick={() => setOpen(open === index ? null : index)}
              >
                <strong>v{revision.version}</strong> <Text of={revision.reason} />
                <span class="muted push">
                  {revision.actor} · {dateTime(revision.at)}
                </span>
              </button>
              {open === index ? (
                <div class="history-diff">
                  <Diff
                    before={contentText((revision.before as { content?: unknown } | null)?.content ?? '')}
                    after={after(index)}
                  />
                </div>
              ) : null}
            </li>
          ))}
      </ol>
    </Panel>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, get } from '../api.ts';
import { Badge, Button, Empty, Loaded, Panel, Tabs, Text } from '../components/basics.tsx';
import { Diff } from '../components/diff.tsx';
import { NeedsOwner } from '../components/needs-owner.tsx';
import { hasOwner, href, scope } from '../state.ts';
import type { Block, BlockKindName, Memory, MemoryRows, Revision, Scope } from '../types.ts';
import { useQuery, useRested } from '../use-query.ts';
import { dateTime, label, plural } from '../words.ts';

const DOCUMENTS: readonly { id: BlockKindName; title: string; about: string }[] = [
  { id: 'working_memory', title: 'Working memory', about: 'What this person is about right now.' },
  { id: 'profile', title: 'Profile', about: 'The person in six sections, written anew at night.' },
  { id: 'scaffold', title: 'Scaffold', about: 'What is known of the person, under keys of the agent’s own.' },
  { id: 'reflections', title: 'Reflections', about: 'What the agent keeps in mind about working with this person.' },
  { id: 'learned_info', title: 'Learned info', about: 'What was learned of the person’s tools and connections.' },
];

/** The documents that the agent always has in mind, now or at any time before. */
export function MindView(): JSX.Element {
  const [kind, setKind] = useState<BlockKindName>('working_memory');
  if (!hasOwner.value) return <NeedsOwner what="The documents in mind belong to one person." />;
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
      <Document key={kind} kind={kind} place={scope.value} />
    </div>
  );
}

async function readBlock(
  kind: BlockKindName,
  place: Scope,
  { asOf, signal }: { asOf?: string; signal: AbortSignal },
): Promise<Block | 'none'> {
  try {
    return await get<Block>(`/v1/blocks/${kind}`, { scope: place, query: { asOf }, signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'none';
    throw error;
  }
}

const STEPS = 1000;
const SLIDER_RESTS = 80;

function Document({ kind, place }: { kind: BlockKindName; place: Scope }): JSX.Element {
  const [step, setStep] = useState(STEPS);
  const rested = useRested(step, SLIDER_RESTS);
  const history = useQuery(
    (signal) =>
      get<{ items: Revision[] }>(`/v1/blocks/${kind}/history`, { scope: place, signal }).catch(() => ({
        items: [] as Revision[],
      })),
    [kind, place],
  );
  const oldest = history.data?.items[0]?.at;
  // Of one moment for as long as the page is open: otherwise the same place of the slider would be another time at every drawing.
  const [now] = useState(Date.now);
  const from = oldest === undefined ? now : Date.parse(oldest) - 3_600_000;
  const timeOf = (at: number): string => new Date(from + ((now - from) * at) / STEPS).toISOString();
  const asOf = rested === STEPS ? undefined : timeOf(rested);
  const latest = useQuery((signal) => readBlock(kind, place, { signal }), [kind, place]);
  const past = useQuery(
    asOf === undefined ? null : (signal) => readBlock(kind, place, { asOf, signal }),
    [kind, place, asOf],
    { live: false, keep: true },
  );
  const block = asOf === undefined ? latest : past;
  const notes = useQuery(kind === 'scaffold' ? (signal) => readBlock('tier_notes', place, { asOf, signal }) : null, [
    kind,
    place,
    asOf,
  ]);
  return (
    <>
      {oldest === undefined ? null : (
        <div class="time-slider">
          <input
            id="as-of"
            type="range"
            aria-label="As of"
            min="0"
            max={STEPS}
            value={step}
            aria-valuetext={step === STEPS ? 'now' : dateTime(timeOf(step))}
            onInput={(event) => setStep(Number(event.currentTarget.value))}
          />
          <output for="as-of">{step === STEPS ? 'Now' : `As of ${dateTime(timeOf(step))}`}</output>
          {step === STEPS ? null : (
            <Button kind="quiet" onClick={() => setStep(STEPS)}>
              Back to now
            </Button>
          )}
        </div>
      )}
      <Loaded query={block}>
        {(found) =>
          found === 'none' ? (
            <Empty title={oldest === undefined ? 'Not written yet' : 'Nothing was written by then'}>
              <p>It is written when enough has been learned, or at night.</p>
            </Empty>
          ) : (
            <Panel
              title={`Version ${found.version}`}
              aside={<span class="muted">written {dateTime(found.updatedAt)}</span>}
            >
              {typeof found.content === 'string' ? (
                <Written text={found.content} place={place} asOf={asOf} />
              ) : (
                <Tree value={found.content} notes={notes.data === 'none' ? null : notes.data} kind={kind} />
              )}
            </Panel>
          )
        }
      </Loaded>
      <Loaded query={history}>{({ items }) => <History revisions={items} current={latest.data} />}</Loaded>
    </>
  );
}

/** A written document: each sentence can be followed to the statements that say the same. */
function Written({ text, place, asOf }: { text: string; place: Scope; asOf: string | undefined }): JSX.Element {
  const [open, setOpen] = useState<number | null>(null);
  const statements = useQuery(
    (signal) =>
      get<MemoryRows>('/v1/memory-rows', {
        scope: place,
        query: { limit: 500, order: 'important', archived: asOf === undefined ? 'exclude' : 'include' },
        signal,
      }),
    [place, asOf === undefined],
  );
  const known = (statements.data?.items ?? []).filter(({ createdAt }) => asOf === undefined || createdAt <= asOf);
  let count = -1;
  return (
    <div class="written">
      {text.split('\n').map((line, index) => {
        if (/^#+\s/.test(line)) return <h3 key={index}>{line.replace(/^#+\s/, '')}</h3>;
        if (line.trim() === '') return null;
        const bullet = /^\s*[-*•]\s+/.test(line);
        const sentences = bullet ? [line.replace(/^\s*[-*•]\s+/, '')] : sentencesOf(line);
        return (
          <p key={index} class={bullet ? 'bullet' : ''}>
            {sentences.map((sentence) => {
              count += 1;
              const number = count;
              const rests = restsOn(sentence, known);
              if (rests.length === 0)
                return (
                  <span key={number}>
                    <Text of={sentence} />{' '}
                  </span>
                );
              return (
                <span key={number}>
                  <button
                    type="button"
                    class="sentence"
                    aria-expanded={open === number}
                    onClick={() => setOpen(open === number ? null : number)}
                  >
                    <Text of={sentence} />
                    <sup>{rests.length}</sup>
                  </button>{' '}
                  {open === number ? (
                    <span class="rests-on">
                      {rests.map((memory) => (
                        <a key={memory.id} href={href('memories', [memory.id])}>
                          <Text of={memory.content} />
                        </a>
                      ))}
                    </span>
                  ) : null}
                </span>
              );
            })}
          </p>
        );
      })}
    </div>
  );
}

function sentencesOf(line: string): string[] {
  const parts = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(line);
  return [...parts].map(({ segment }) => segment.trim()).filter((segment) => segment !== '');
}

const FEW = 3;
const ENOUGH = 0.6;

/** The statements whose words a sentence says: its own rendering, or most of it. */
function restsOn(sentence: string, known: readonly Memory[]): Memory[] {
  const said = wordsOf(sentence);
  if (said.size === 0) return [];
  return known
    .map((memory) => {
      const words = wordsOf(`${memory.content} ${memory.value ?? ''}`);
      const shared = [...words].filter((word) => said.has(word)).length;
      return { memory, share: words.size === 0 ? 0 : shared / Math.min(words.size, said.size), shared };
    })
    .filter(({ share, shared }) => share >= ENOUGH && shared >= 2)
    .sort((one, other) => other.share * other.shared - one.share * one.shared)
    .slice(0, FEW)
    .map(({ memory }) => memory);
}

const LITTLE = new Set(
  'a an the is are was were be has have had to of in on at for with and or user user’s users they their it its'.split(
    ' ',
  ),
);

function wordsOf(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !LITTLE.has(word)));
}

interface EntryNote {
  confidence?: string;
  confirmedAt?: string;
}

function Tree({ value, notes, kind }: { value: unknown; notes: Block | null; kind: BlockKindName }): JSX.Element {
  const noted = (notes?.content as { scaffold?: Record<string, EntryNote> } | undefined)?.scaffold ?? {};
  if (typeof value !== 'object' || value === null)
    return (
      <p>
        <Text of={String(value)} />
      </p>
    );
  return (
    <ul class="tree">
      {Object.entries(value).map(([key, entry]) => (
        <Branch key={key} name={key} value={entry} note={kind === 'scaffold' ? (noted[key] ?? null) : null} />
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

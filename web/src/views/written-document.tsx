import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get, orNone } from '../api.ts';
import { Badge, Text } from '../components/basics.tsx';
import { href } from '../state.ts';
import type { BlockKindName, Event, Memory, RestingSentence, Scope } from '../types.ts';
import { useQuery } from '../use-query.ts';

/** A written document: each sentence can be followed to the statements that it rests on. */
export function WrittenDocument({
  text,
  kind,
  place,
  asOf,
}: {
  text: string;
  kind: BlockKindName;
  place: Scope;
  asOf: string | undefined;
}): JSX.Element {
  const [open, setOpen] = useState<number | null>(null);
  const basis = useQuery(
    (signal) =>
      get<{ items: RestingSentence[] }>(`/v1/blocks/${kind}/basis`, { scope: place, query: { asOf }, signal }),
    [kind, place, asOf, text],
  );
  const lines = linesOf(text, basis.data?.items ?? []);
  return (
    <div class="written">
      {lines.map(({ heading, isBullet, sentences }, index) =>
        heading !== null ? (
          <h3 key={index}>{heading}</h3>
        ) : (
          <p key={index} class={isBullet ? 'bullet' : ''}>
            {sentences.map((sentence) => (
              <SentenceView
                key={sentence.number}
                sentence={sentence}
                isOpen={open === sentence.number}
                onToggle={() => setOpen(open === sentence.number ? null : sentence.number)}
                place={place}
              />
            ))}
          </p>
        ),
      )}
    </div>
  );
}

interface ShownSentence extends RestingSentence {
  number: number;
  /** The text before the sentence in its line: the date of a listed statement. */
  lead: string;
}

interface ShownLine {
  heading: string | null;
  isBullet: boolean;
  sentences: ShownSentence[];
}

/** The lines of a document with the sentences that the server has found in it, in their order. */
function linesOf(text: string, items: readonly RestingSentence[]): ShownLine[] {
  let next = 0;
  return text.split('\n').flatMap((line): ShownLine[] => {
    if (line.trim() === '') return [];
    const heading = /^#+\s(.*)$/.exec(line)?.[1]?.trim();
    if (heading !== undefined) return [{ heading, isBullet: false, sentences: [] }];
    const isBullet = /^\s*[-*•]\s+/.test(line);
    const sentences: ShownSentence[] = [];
    let at = 0;
    for (let item = items[next]; item !== undefined; item = items[next]) {
      const found = line.indexOf(item.text, at);
      if (found < 0) break;
      const lead = line.slice(at, found).replace(/^\s*[-*•]\s+/, '');
      sentences.push({ ...item, number: next, lead: lead.trim() === '' ? '' : lead });
      at = found + item.text.length;
      next += 1;
    }
    // Until the server has answered, the line is shown as plain text.
    if (sentences.length === 0)
      sentences.push({ text: line.replace(/^\s*[-*•]\s+/, ''), restsOn: [], stale: false, number: -1, lead: '' });
    return [{ heading: null, isBullet, sentences }];
  });
}

function SentenceView({
  sentence: { text, lead, restsOn, stale },
  isOpen,
  onToggle,
  place,
}: {
  sentence: ShownSentence;
  isOpen: boolean;
  onToggle: () => void;
  place: Scope;
}): JSX.Element {
  const words = (
    <>
      {lead}
      {stale ? (
        <s>
          <Text of={text} />
        </s>
      ) : (
        <Text of={text} />
      )}
    </>
  );
  const badge = stale ? <Badge tone="warn">out of date, so not in prompts</Badge> : null;
  if (restsOn.length === 0)
    return (
      <span>
        {words} {badge}{' '}
      </span>
    );
  return (
    <span>
      <button type="button" class="sentence" aria-expanded={isOpen} onClick={onToggle}>
        {words}
        <sup>{restsOn.length}</sup>
      </button>{' '}
      {badge}
      {isOpen ? (
        <span class="rests-on">
          {restsOn.map((id) => (
            <Source key={id} id={id} place={place} />
          ))}
        </span>
      ) : null}
    </span>
  );
}

/** A statement or an event that a sentence rests on. */
function Source({ id, place }: { id: string; place: Scope }): JSX.Element {
  const path = id.startsWith('mem_') ? 'memories' : 'events';
  const { data: found } = useQuery(
    (signal) => orNone(get<Memory | Event>(`/v1/${path}/${id}`, { scope: place, signal })),
    [id, place],
  );
  if (found === null) return <span class="muted">…</span>;
  if (found === 'none') return <span class="muted">erased</span>;
  if ('origin' in found)
    return (
      <span>
        <Text of={found.content} />
      </span>
    );
  return (
    <a href={href('memories', [found.id])}>
      <Text of={found.content} />
    </a>
  );
}

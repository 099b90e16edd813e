import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../api.ts';
import { href } from '../state.ts';
import type { Event, Memory } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { dateTime, time } from '../words.ts';
import { Button, Text } from './basics.tsx';
import { Loaded } from './loaded.tsx';

const SPEAKERS: Readonly<Record<string, string>> = {
  user: 'User',
  agent: 'Assistant',
  tool: 'Tool',
  document: 'Document',
  system: 'System',
};

export const speakerOf = (event: Event): string =>
  event.kind === 'observation' ? 'Assistant noted' : (event.speaker ?? SPEAKERS[event.origin] ?? event.origin);

/** A turn of a conversation, with the quoted words marked. */
export function Turn({
  event,
  marks = [],
  children,
}: {
  event: Event;
  marks?: readonly { start: number; end: number }[];
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <article class={`turn turn-${event.origin}`} id={event.id}>
      <header>
        <strong>
          <Text of={speakerOf(event)} />
        </strong>
        <time dateTime={event.occurredAt}>{time(event.occurredAt)}</time>
        {event.kind === 'message' ? null : <span class="muted">{event.kind.replaceAll('_', ' ')}</span>}
      </header>
      <p class="turn-text" dir="auto">
        <Marked text={event.content} marks={marks} />
      </p>
      {children}
    </article>
  );
}

function Marked({ text, marks }: { text: string; marks: readonly { start: number; end: number }[] }): JSX.Element {
  const parts: JSX.Element[] = [];
  let at = 0;
  for (const { start, end } of [...marks].sort((one, other) => one.start - other.start)) {
    if (start < at) continue;
    parts.push(<Text key={`${at}`} of={text.slice(at, start)} />);
    parts.push(
      <mark key={`${start}-mark`}>
        <Text of={text.slice(start, end)} />
      </mark>,
    );
    at = end;
  }
  parts.push(<Text key="rest" of={text.slice(at)} />);
  return <>{parts}</>;
}

/** The quotes of a memory, each in its conversation. */
export function Quotes({ memory, events }: { memory: Memory; events: Event[] }): JSX.Element {
  if (events.length === 0) {
    return (
      <p class="muted">
        {memory.sourceEvents.length === 0
          ? 'No conversation says this: an application or a person stored it.'
          : 'The conversation that said this is no longer kept.'}
      </p>
    );
  }
  const quoted = new Set(memory.quotes.map(({ event }) => event));
  const shown = quoted.size === 0 ? events : events.filter(({ id }) => quoted.has(id));
  return (
    <div class="quotes">
      {shown.map((event) => (
        <InConversation key={event.id} event={event} memory={memory} />
      ))}
    </div>
  );
}

const AROUND = 2;

function InConversation({ event, memory }: { event: Event; memory: Memory }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const marks = memory.quotes.filter((quote) => quote.event === event.id);
  const { agent, user, session } = event.scope;
  return (
    <div class="quote">
      <p class="quote-place">
        {dateTime(event.occurredAt)}
        {session === null ? null : (
          <>
            {' · '}
            <a href={href('sessions', [session], { agent, user, turn: event.id })}>
              conversation <Text of={session} />
            </a>
          </>
        )}
      </p>
      {isOpen && session !== null ? <Around event={event} marks={marks} /> : <Turn event={event} marks={marks} />}
      {session === null ? null : (
        <Button kind="quiet" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? 'Only the quote' : 'What was said around it'}
        </Button>
      )}
    </div>
  );
}

function Around({ event, marks }: { event: Event; marks: readonly { start: number; end: number }[] }): JSX.Element {
  const { agent, user, session } = event.scope;
  const query = useQuery(
    (signal) =>
      get<{ items: Event[] }>('/v1/events', {
        scope: { agent, user, session },
        query: { order: 'oldest', limit: 1000 },
        signal,
      }),
    [event.id],
    { live: false },
  );
  return (
    <Loaded query={query}>
      {({ items }) => {
        const index = items.findIndex(({ id }) => id === event.id);
        const near = index < 0 ? [event] : items.slice(Math.max(0, index - AROUND), index + AROUND + 1);
        return near.map((each) => <Turn key={each.id} event={each} marks={each.id === event.id ? marks : []} />);
      }}
    </Loaded>
  );
}

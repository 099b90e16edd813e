import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../api.ts';
import { Badge, Button, Text } from '../components/basics.tsx';
import { Empty, Loaded, LoadedList } from '../components/loaded.tsx';
import { MemoryLink } from '../components/memory-bits.tsx';
import { Turn } from '../components/quotes.tsx';
import { REFUSED_BECAUSE } from '../components/refusals.tsx';
import { hasOwner, href, isOfConversation, isPersonal, route, scope } from '../state.ts';
import type { Event, Memory, MemoryRows, Refusal, Scope, SessionRow } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { ago, dateTime, ownerName, plural } from '../words.ts';

/** Conversations, with the memories and refusals of each turn. */
export function SessionsView(): JSX.Element {
  const place = scope.value;
  const chosen = route.value.parts[0] ?? null;
  const [limit, setLimit] = useState(50);
  const list = useQuery(
    (signal) => get<{ total: number; items: SessionRow[] }>('/v1/sessions', { scope: place, query: { limit }, signal }),
    [place, limit],
  );
  return (
    <div class={`split ${chosen === null ? '' : 'split-open'}`}>
      <section class="split-list" aria-label="Conversations">
        <h1 class="split-title">{isPersonal.value ? 'Your conversations' : 'Sessions'}</h1>
        <LoadedList
          query={list}
          empty={
            <Empty title="No conversations yet">
              <p>A conversation appears here with its first logged turn.</p>
            </Empty>
          }
        >
          {({ total, items }) => (
            <>
              <ul class="pick-list">
                {items.map((session) => (
                  <SessionItem
                    key={`${session.agent} ${session.user} ${session.id}`}
                    session={session}
                    isChosen={session.id === chosen}
                  />
                ))}
              </ul>
              {total > items.length && limit < 200 ? <Button onClick={() => setLimit(200)}>Show more</Button> : null}
            </>
          )}
        </LoadedList>
      </section>
      <section class="split-detail" aria-label="Transcript">
        {chosen === null ? (
          <Empty title="Choose a conversation">
            <p>Its turns appear here, with what was learned from each turn and what was refused.</p>
          </Empty>
        ) : (
          <Transcript session={chosen} place={place} />
        )}
      </section>
    </div>
  );
}

function SessionItem({ session, isChosen }: { session: SessionRow; isChosen: boolean }): JSX.Element {
  const { id, agent, user, opening, lastEventAt, events, memories, refused } = session;
  return (
    <li>
      <a href={href('sessions', [id], { agent, user })} aria-current={isChosen ? 'true' : undefined}>
        <span class="pick-text">
          <Text of={opening ?? id} />
        </span>
        <span class="muted pick-meta">
          {hasOwner.value ? '' : `${ownerName(session)} · `}
          {ago(lastEventAt)} · {plural(events, 'turn')} · {plural(memories, 'memory', 'memories')}
          {refused === 0 ? '' : ` · ${refused} refused`}
        </span>
      </a>
    </li>
  );
}

interface TranscriptRecords {
  events: Event[];
  memories: Memory[];
  refusals: Refusal[];
}

async function readTranscript(place: Scope, session: string, signal: AbortSignal): Promise<TranscriptRecords> {
  const within = { ...place, session };
  const [events, memories, refusals] = await Promise.all([
    get<{ items: Event[] }>('/v1/events', { scope: within, query: { order: 'oldest', limit: 1000 }, signal }),
    get<MemoryRows>('/v1/memory-rows', {
      scope: place,
      query: { sourceSession: session, archived: 'include', limit: 500 },
      signal,
    }),
    get<{ items: Refusal[] }>('/v1/refusals', { scope: within, query: { limit: 1000 }, signal }),
  ]);
  return { events: events.items, memories: memories.items, refusals: refusals.items };
}

function Transcript({ session, place }: { session: string; place: Scope }): JSX.Element {
  const query = useQuery((signal) => readTranscript(place, session, signal), [session, place]);
  const wanted = route.value.query.get('turn');
  useEffect(() => {
    if (wanted === null || query.data === null) return;
    const turn = document.getElementById(wanted);
    turn?.scrollIntoView({ block: 'center' });
    turn?.classList.add('turn-wanted');
  }, [wanted, query.data === null]);
  return (
    <div class="transcript">
      <div class="detail-back">
        <a class="button button-quiet" href={href('sessions')}>
          All conversations
        </a>
      </div>
      <Loaded query={query}>{(found) => <Turns session={session} {...found} />}</Loaded>
    </div>
  );
}

function Turns({ session, events, memories, refusals }: { session: string } & TranscriptRecords): JSX.Element {
  const [ofConversation, ofTurns] = [
    memories.filter(isOfConversation),
    memories.filter((one) => !isOfConversation(one)),
  ];
  return (
    <>
      <header class="transcript-head">
        <h2>
          <Text of={session} />
        </h2>
        <p class="muted">
          {events[0] === undefined ? '' : dateTime(events[0].occurredAt)} · {plural(events.length, 'turn')} ·{' '}
          {plural(ofTurns.length, 'memory', 'memories')} learned
          {refusals.length === 0 ? '' : ` · ${plural(refusals.length, 'item')} refused`}
        </p>
      </header>
      {ofConversation.map((memory) => (
        <MemoryLink key={memory.id} memory={memory} />
      ))}
      {events.map((event) => (
        <Turn
          key={event.id}
          event={event}
          marks={memories.flatMap(({ quotes }) => quotes).filter((quote) => quote.event === event.id)}
        >
          <GaveRise
            memories={ofTurns.filter(({ sourceEvents }) => sourceEvents.includes(event.id))}
            refusals={refusals.filter((refusal) => refusal.events.at(0) === event.id)}
          />
        </Turn>
      ))}
    </>
  );
}

function GaveRise({ memories, refusals }: { memories: Memory[]; refusals: Refusal[] }): JSX.Element | null {
  if (memories.length === 0 && refusals.length === 0) return null;
  return (
    <div class="gave-rise">
      {memories.map((memory) => (
        <MemoryLink key={memory.id} memory={memory} />
      ))}
      {refusals.map((refusal) => (
        <div key={refusal.id} class="refused">
          <Badge tone="bad">not kept</Badge>{' '}
          {refusal.text === null ? <em>words not kept</em> : <Text of={refusal.text} />}
          <span class="muted"> {REFUSED_BECAUSE[refusal.reason] ?? refusal.reason.replaceAll('_', ' ')}</span>
        </div>
      ))}
    </div>
  );
}

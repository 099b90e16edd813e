import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get } from '../api.ts';
import { Badge, Button, Empty, Loaded, Text } from '../components/basics.tsx';
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
        <Loaded query={list}>
          {({ total, items }) =>
            items.length === 0 ? (
              <Empty title="No conversations yet">
                <p>A conversation appears here with its first logged turn.</p>
              </Empty>
            ) : (
              <>
                <ul class="pick-list">
                  {items.map((session) => (
                    <li key={`${session.agent} ${session.user} ${session.id}`}>
                      <a
                        href={href('sessions', [session.id], { agent: session.agent, user: session.user })}
                        aria-current={session.id === chosen ? 'true' : undefined}
                      >
                        <span class="pick-text">
                          <Text of={session.opening ?? session.id} />
                        </span>
                        <span class="muted pick-meta">
                          {hasOwner.value ? '' : `${ownerName(session)} · `}
                          {ago(session.lastEventAt)} · {plural(session.events, 'turn')} ·{' '}
                          {plural(session.memories, 'memory', 'memories')}
                          {session.refused === 0 ? '' : ` · ${session.refused} refused`}
                        </span>
                      </a>
                    </li>
                  ))}
                </ul>
                {total > items.length && limit < 200 ? <Button onClick={() => setLimit(200)}>Show more</Button> : null}
              </>
            )
          }
        </Loaded>
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

async function readTranscript(
  place: Scope,
  session: string,
  signal: AbortSignal,
): Promise<{ events: Event[]; memories: Memory[]; refusals: Refusal[] }> {
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
      <Loaded query={query}>
        {({ events, memories, refusals }) => (
          <>
            <header class="transcript-head">
              <h2>
                <Text of={session} />
              </h2>
              <p class="muted">
                {events[0] === undefined ? '' : dateTime(events[0].occurredAt)} · {plural(events.length, 'turn')} ·{' '}
                {plural(memories.filter((memory) => !isOfConversation(memory)).length, 'memory', 'memories')} learned
                {refusals.length === 0 ? '' : ` · ${plural(refusals.length, 'item')} refused`}
              </p>
            </header>
            {memories.filter(isOfConversation).map((memory) => (
              <MemoryLink key={memory.id} memory={memory} />
            ))}
            {events.map((event) => (
              <Turn
                key={event.id}
                event={event}
                marks={memories.flatMap(({ quotes }) => quotes).filter((quote) => quote.event === event.id)}
              >
                <GaveRise
                  memories={memories.filter(
                    (memory) => !isOfConversation(memory) && memory.sourceEvents.includes(event.id),
                  )}
                  refusals={refusals.filter((refusal) => refusal.events.at(0) === event.id)}
                />
              </Turn>
            ))}
          </>
        )}
      </Loaded>
    </div>
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

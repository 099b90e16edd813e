import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ask, get, post } from '../api.ts';
import { Badge, Button, Panel, Tabs, Text } from '../components/basics.tsx';
import { Empty, LoadedList } from '../components/loaded.tsx';
import { Diff } from '../components/diff.tsx';
import { REFUSED_BECAUSE, refusalName } from '../components/refusals.tsx';
import { scopeOf } from '../memory-actions.ts';
import { act, href, isAdmin, mayWrite, owners, scope } from '../state.ts';
import type {
  Block,
  BlockKindName,
  Event,
  Forgotten as ForgottenRecord,
  HeldChange,
  Memory,
  ProposedDocument,
  ProposedSynthesis,
  Refusal,
  Scope,
} from '../types.ts';
import { useQuery } from '../use-query.ts';
import { dateTime, label, ownerName } from '../words.ts';

/** Held changes, refused statements, forgotten records, and observations that were set aside. */
export function ReviewView(): JSX.Element {
  const [tab, setTab] = useState('held');
  const place = scope.value;
  return (
    <div class="page">
      <h1>Review</h1>
      <Tabs
        label="Review"
        tabs={[
          { id: 'held', title: 'Held changes' },
          { id: 'refused', title: 'Refused' },
          { id: 'forgotten', title: 'Forgotten' },
          { id: 'aside', title: 'Set aside' },
        ]}
        current={tab}
        onChange={setTab}
      />
      {tab === 'held' ? <Held place={place} /> : null}
      {tab === 'refused' ? <Refused place={place} /> : null}
      {tab === 'forgotten' ? <Forgotten place={place} /> : null}
      {tab === 'aside' ? <SetAside place={place} /> : null}
    </div>
  );
}

/** Reads a list that the server returns for one owner at a time, for all owners within a scope. */
async function ofOwners<Item>(
  place: Scope,
  read: (owner: Scope) => Promise<{ items: Item[] }>,
): Promise<{ items: Item[] }> {
  const within = owners.value.filter(
    ({ agent, user }) =>
      (place.agent === null || agent === place.agent) && (place.user === null || user === place.user),
  );
  const lists = await Promise.all(
    (within.length === 0 ? [place] : within.slice(0, 20)).map(({ agent, user }) => read({ agent, user })),
  );
  return { items: lists.flatMap(({ items }) => items) };
}

function Held({ place }: { place: Scope }): JSX.Element {
  const query = useQuery(
    (signal) => ofOwners<HeldChange>(place, (owner) => get('/v1/held-changes', { scope: owner, signal })),
    [place],
  );
  return (
    <LoadedList
      query={query}
      empty={
        <Empty title="Nothing waits for review">
          <p>
            A new version of a document that would lose most of its text waits here until somebody accepts or rejects
            it.
          </p>
        </Empty>
      }
    >
      {({ items }) => items.map((held) => <HeldItem key={held.id} held={held} />)}
    </LoadedList>
  );
}

/** The content that a held change would write to each document. */
function proposedBlocks({ kind, proposal }: HeldChange): readonly (readonly [BlockKindName, unknown])[] {
  if (kind !== 'synthesis') return [[kind, (proposal as ProposedDocument).text]];
  const { workingMemory, scaffold } = proposal as ProposedSynthesis;
  return [
    ['working_memory', workingMemory.text],
    ['scaffold', scaffold.entries],
  ];
}

const blockText = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? {}, null, 2);

function HeldItem({ held }: { held: HeldChange }): JSX.Element {
  const place = scopeOf(held);
  return (
    <Panel
      title={held.kind === 'profile' ? 'A new profile' : 'New documents'}
      aside={
        <span class="muted">
          {ownerName(held.scope)} · {dateTime(held.createdAt)}
        </span>
      }
    >
      <p>
        Held because: <Text of={held.reason} />
      </p>
      {proposedBlocks(held).map(([kind, content]) => (
        <Proposed key={kind} kind={kind} content={blockText(content)} place={place} />
      ))}
      {mayWrite.value ? (
        <div class="actions">
          <Button
            kind="primary"
            onClick={() => void act('Accepted.', () => post(`/v1/held-changes/${held.id}/accept`, { scope: place }))}
          >
            Accept
          </Button>
          <Button
            onClick={() => void act('Rejected.', () => post(`/v1/held-changes/${held.id}/reject`, { scope: place }))}
          >
            Reject
          </Button>
        </div>
      ) : null}
    </Panel>
  );
}

function Proposed({
  kind,
  content,
  place,
}: {
  kind: BlockKindName;
  content: string;
  place: Scope;
}): JSX.Element | null {
  const current = useQuery(
    (signal) => get<Block>(`/v1/blocks/${kind}`, { scope: place, signal }).catch(() => null),
    [kind, place],
  );
  const before = current.data === null ? '' : blockText(current.data.content);
  if (current.isLoading || before === content) return null;
  return (
    <>
      <h3>{label(kind)}</h3>
      <div class="history-diff">
        <Diff before={before} after={content} />
      </div>
    </>
  );
}

function Refused({ place }: { place: Scope }): JSX.Element {
  const query = useQuery(
    (signal) => get<{ items: Refusal[] }>('/v1/refusals', { scope: place, query: { limit: 300 }, signal }),
    [place],
  );
  return (
    <LoadedList
      query={query}
      empty={
        <Empty title="Nothing was refused">
          <p>Statements that the checks refused are listed here with the reasons.</p>
        </Empty>
      }
    >
      {({ items }) => (
        <ul class="cards">
          {items.map((refusal) => (
            <RefusalCard key={refusal.id} refusal={refusal} />
          ))}
        </ul>
      )}
    </LoadedList>
  );
}

function RefusalCard({ refusal }: { refusal: Refusal }): JSX.Element {
  const { text, reason, detail, at, events } = refusal;
  const { agent, user, session } = refusal.scope;
  return (
    <li class="card">
      <p>{text === null ? <em>Its words are not kept.</em> : <Text of={text} />}</p>
      <p class="muted">
        <Badge tone="bad">{refusalName(reason)}</Badge> {REFUSED_BECAUSE[reason] ?? ''}{' '}
        {detail === null ? '' : `(${detail})`}
      </p>
      <p class="muted">
        {ownerName(refusal.scope)} · {dateTime(at)}
        {session === null ? null : (
          <>
            {' · '}
            <a href={href('sessions', [session], { agent, user, turn: events[0] })}>the conversation</a>
          </>
        )}
      </p>
      <KeepAnyway refusal={refusal} />
    </li>
  );
}

/** The fields of a refused statement that can be stored by hand. */
interface Proposal {
  type?: unknown;
  subject?: unknown;
  attribute?: unknown;
  value?: unknown;
}

/** Reasons that must not be overruled with one click: private data, forgotten statements, injected instructions. */
const STANDS = new Set(['private', 'forgotten', 'instruction_from_outside', 'malformed']);

/** Stores a refused statement after a person has confirmed it. */
function KeepAnyway({ refusal }: { refusal: Refusal }): JSX.Element | null {
  const [isKept, setKept] = useState(false);
  const { text, what, reason } = refusal;
  if (!mayWrite.value || text === null || what !== 'statement' || STANDS.has(reason)) return null;
  const place = scopeOf(refusal);
  const { type, subject, attribute, value } = (refusal.proposal ?? {}) as Proposal;
  const word = (field: unknown): string | undefined => (typeof field === 'string' && field !== '' ? field : undefined);
  const keep = async (): Promise<void> => {
    let made: Memory | null = null;
    const memory = {
      type: word(type) ?? 'fact',
      content: text,
      subject: word(subject),
      attribute: word(attribute),
      value: word(value),
      sourceEvents: refusal.events,
    };
    const body = { memory, why: { reason: `kept although it was refused: ${reason}`, actor: 'inspector' } };
    const done = await act(
      'Kept.',
      async () => {
        ({ memory: made } = await post<{ memory: Memory }>('/v1/memories', { scope: place, body }));
      },
      async () => {
        if (made !== null)
          await ask('DELETE', `/v1/memories/${made.id}`, { scope: place, query: { reason: 'pruned' } });
        setKept(false);
      },
    );
    setKept(done);
  };
  return (
    <div class="actions">
      <Button disabled={isKept} onClick={() => void keep()}>
        {isKept ? 'Kept' : 'Keep it anyway'}
      </Button>
    </div>
  );
}

function Forgotten({ place }: { place: Scope }): JSX.Element {
  const query = useQuery(
    async (signal) => {
      const { items } = await ofOwners<ForgottenRecord>(place, (owner) =>
        get('/v1/forgotten', { scope: owner, query: { limit: 300 }, signal }),
      );
      // Records of a wider scope than a user appear in the list of each user, so they are deduplicated.
      const records = [...new Map(items.map((record) => [record.id, record])).values()];
      return { items: records.toSorted((one, other) => other.at.localeCompare(one.at)) };
    },
    [place],
  );
  return (
    <LoadedList
      query={query}
      empty={
        <Empty title="Nothing was forgotten on request">
          <p>What a user has asked to forget, in a conversation or here, is listed here.</p>
        </Empty>
      }
    >
      {({ items }) => (
        <ul class="cards">
          {items.map((record) => (
            <ForgottenCard key={record.id} record={record} />
          ))}
        </ul>
      )}
    </LoadedList>
  );
}

function ForgottenCard({ record }: { record: ForgottenRecord }): JSX.Element {
  const restore = (): Promise<boolean> =>
    act('Restored.', () => post(`/v1/forgotten/${record.id}/restore`, { scope: scopeOf(record) }));
  return (
    <li class="card card-row">
      <div>
        <p>{record.text === '' ? <em>Its words are not shown.</em> : <Text of={record.text} />}</p>
        <p class="muted">
          {record.as} · {ownerName(record.scope)} · asked by {record.by} · {dateTime(record.at)}
          {record.saidAgainAt === null ? '' : ` · said again ${dateTime(record.saidAgainAt)}`}
        </p>
      </div>
      {isAdmin.value ? (
        <Button icon="restore" onClick={() => void restore()}>
          Restore
        </Button>
      ) : null}
    </li>
  );
}

interface Aside {
  event: Event;
  attempts: number;
  error: string;
}

function SetAside({ place }: { place: Scope }): JSX.Element {
  const query = useQuery(
    (signal) => ofOwners<Aside>(place, (owner) => get('/v1/set-aside', { scope: owner, signal })),
    [place],
  );
  return (
    <LoadedList
      query={query}
      empty={
        <Empty title="Nothing was set aside">
          <p>An observation that fails every time is set aside here, so that it does not block the others.</p>
        </Empty>
      }
    >
      {({ items }) => (
        <ul class="cards">
          {items.map((aside) => (
            <AsideCard key={aside.event.id} aside={aside} />
          ))}
        </ul>
      )}
    </LoadedList>
  );
}

function AsideCard({ aside: { event, attempts, error } }: { aside: Aside }): JSX.Element {
  const retry = (): Promise<boolean> =>
    act('The observation will be read again.', () =>
      post(`/v1/set-aside/${event.id}/retry`, { scope: scopeOf(event) }),
    );
  return (
    <li class="card card-row">
      <div>
        <p>
          <Text of={event.content} />
        </p>
        <p class="muted">
          {attempts} attempts · <Text of={error} />
        </p>
      </div>
      {mayWrite.value ? <Button onClick={() => void retry()}>Try again</Button> : null}
    </li>
  );
}

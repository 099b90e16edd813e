import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get, post, send } from '../api.ts';
import { Button, Dialog, Panel, Text } from '../components/basics.tsx';
import { Empty, Loaded, LoadedList } from '../components/loaded.tsx';
import { MemoryText } from '../components/memory-bits.tsx';
import { Quotes } from '../components/quotes.tsx';
import { archive, revise, scopeOf } from '../memory-actions.ts';
import { act, isAdmin, mayWrite, me, memoryTypes, signOut } from '../state.ts';
import type { Event, Links, Memory, MemoryRows, MemoryType } from '../types.ts';
import { useQuery, useRested } from '../use-query.ts';
import { date, plural } from '../words.ts';

/** The groups of a person's memories, by the section of the profile to which the type of a memory belongs. */
const GROUPS: readonly { title: string; sections: readonly MemoryType['profileSection'][] }[] = [
  { title: 'About you', sections: ['Personal'] },
  { title: 'What you like, and how you want to be helped', sections: ['Preferences', 'Communication Style'] },
  { title: 'What you want and plan', sections: ['Goals & Values'] },
  { title: 'What you decided, and what happened', sections: ['Notes', null] },
];

const OTHER = 'Other';

/** The view of a person's own memory: statements, their sources, and actions to correct and remove them. */
export function PersonalView(): JSX.Element {
  const user = me.value?.key.users?.[0] ?? null;
  const place = { agent: null, user };
  const [typed, setTyped] = useState('');
  const text = useRested(typed, 150).trim();
  const query = useQuery(
    (signal) =>
      get<MemoryRows>('/v1/memory-rows', { scope: place, query: { text, order: 'stated', limit: 500 }, signal }),
    [user, text],
  );
  return (
    <div class="page page-narrow">
      <h1>What we remember about you</h1>
      <p class="lead">
        This is everything that was kept from your conversations. You can correct it, have it forgotten, take a copy, or
        have all of it deleted.
      </p>
      <div class="search">
        <input
          type="search"
          aria-label="Search what is remembered about you"
          placeholder="Search"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <LoadedList
        query={query}
        empty={
          <Empty title={text === '' ? 'Nothing is remembered about you' : 'Nothing like that is remembered'}>
            <p>{text === '' ? 'Sentences from your conversations appear here.' : 'Search with other words.'}</p>
          </Empty>
        }
      >
        {({ items, total }) => (
          <>
            {grouped(items).map(({ title, memories }) => (
              <Panel key={title} title={title} aside={<span class="muted">{memories.length}</span>}>
                <ul class="plain-list">
                  {memories.map((memory) => (
                    <Remembered key={memory.id} memory={memory} />
                  ))}
                </ul>
              </Panel>
            ))}
            {total > items.length ? (
              <p class="muted">And {plural(total - items.length, 'more')}. Search to find them.</p>
            ) : null}
          </>
        )}
      </LoadedList>
      <YourData user={user ?? ''} />
    </div>
  );
}

function grouped(memories: readonly Memory[]): { title: string; memories: Memory[] }[] {
  const titleOf = ({ type }: Memory): string | undefined => {
    const { formable = false, profileSection = null } = memoryTypes.value.get(type) ?? {};
    // Texts and derived memories, which have no section in the profile, are no statements of the person.
    if (!formable && profileSection === null) return undefined;
    return GROUPS.find(({ sections }) => sections.includes(profileSection))?.title;
  };
  const groups = new Map(GROUPS.map(({ title }) => [title, [] as Memory[]]));
  groups.set(OTHER, []);
  for (const memory of memories) groups.get(titleOf(memory) ?? OTHER)?.push(memory);
  return [...groups].map(([title, list]) => ({ title, memories: list })).filter((group) => group.memories.length > 0);
}

function Remembered({ memory }: { memory: Memory }): JSX.Element {
  const [mode, setMode] = useState<'read' | 'source' | 'edit'>('read');
  const isSourceShown = mode === 'source';
  return (
    <li class="remembered">
      {mode === 'edit' ? (
        <Correction memory={memory} onDone={() => setMode('read')} />
      ) : (
        <p>
          <MemoryText memory={memory} />
        </p>
      )}
      <div class="remembered-foot">
        <span class="muted">since {date(memory.statedAt)}</span>
        <span class="actions">
          <Button kind="quiet" aria-expanded={isSourceShown} onClick={() => setMode(isSourceShown ? 'read' : 'source')}>
            Where is this from?
          </Button>
          {mayWrite.value ? (
            <>
              <Button kind="quiet" onClick={() => setMode('edit')}>
                Correct
              </Button>
              <Button kind="quiet" onClick={() => void archive(memory, 'forgotten')}>
                Forget
              </Button>
            </>
          ) : null}
        </span>
      </div>
      {isSourceShown ? <Source memory={memory} /> : null}
    </li>
  );
}

function Correction({ memory, onDone }: { memory: Memory; onDone(): void }): JSX.Element {
  const [content, setContent] = useState(memory.content);
  return (
    <form
      class="edit"
      onSubmit={(event) => {
        event.preventDefault();
        void revise(memory, { content }, 'Thank you. It is corrected.').then((done) => (done ? onDone() : undefined));
      }}
    >
      <label class="field">
        <span>What is right</span>
        <textarea rows={2} value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      <div class="actions">
        <Button kind="primary" type="submit">
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

function Source({ memory }: { memory: Memory }): JSX.Element {
  const scope = scopeOf(memory);
  const query = useQuery((signal) => get<Links>(`/v1/memories/${memory.id}/links`, { scope, signal }), [memory.id]);
  return <Loaded query={query}>{({ events }) => <Quotes memory={memory} events={events} />}</Loaded>;
}

/** Downloads everything as one file: with an admin key the server's own export, otherwise the records that the key may read. */
async function download(user: string): Promise<void> {
  const scope = { agent: null, user };
  const content = isAdmin.value
    ? await (await send('GET', '/v1/export', { scope })).text()
    : JSON.stringify(await readAll(user), null, 2);
  const link = document.createElement('a');
  const address = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  link.href = address;
  link.download = `varve-${new Date().toISOString().slice(0, 10)}.${isAdmin.value ? 'ndjson' : 'json'}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function readAll(user: string): Promise<{ memories: Memory[]; events: Event[] }> {
  const scope = { agent: null, user };
  const memories: Memory[] = [];
  for (let total = 1; memories.length < total;) {
    const query = { archived: 'include', offset: memories.length, limit: 500, order: 'oldest' };
    const rows = await get<MemoryRows>('/v1/memory-rows', { scope, query });
    memories.push(...rows.items);
    total = rows.items.length === 0 ? 0 : rows.total;
  }
  const events: Event[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: { items: Event[]; cursor: string | null } = await get('/v1/events', {
      scope,
      query: { order: 'oldest', limit: 1000, cursor },
    });
    events.push(...page.items);
    cursor = page.cursor;
  }
  return { memories, events };
}

function YourData({ user }: { user: string }): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel title="Your data">
      <div class="actions">
        <Button icon="download" onClick={() => void act('Your copy is ready.', () => download(user))}>
          Download everything
        </Button>
        {isAdmin.value ? (
          <Button icon="erase" kind="danger" onClick={() => setAsking(true)}>
            Delete everything
          </Button>
        ) : (
          <p class="muted">To have everything deleted, ask the operator of this service. This key does not allow it.</p>
        )}
      </div>
      {isAsking ? (
        <Dialog
          title="Delete everything about you?"
          action="Delete everything"
          confirm={user}
          onClose={() => setAsking(false)}
          onAct={() =>
            void act('Everything about you was deleted.', () =>
              post('/v1/erase', { scope: { agent: null, user }, body: { confirm: user } }),
            ).then((done) => (done ? signOut('Everything about you was deleted.') : undefined))
          }
        >
          <p>
            All conversations, everything that was learned from them and all copies in this store are removed for good.
            Nobody can bring them back. You may want to download a copy first.
          </p>
          <p class="muted">
            You are signed in as <Text of={user} />.
          </p>
        </Dialog>
      ) : null}
    </Panel>
  );
}

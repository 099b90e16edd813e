import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ask, get } from '../api.ts';
import { Button, Panel, Text } from '../components/basics.tsx';
import { Empty, LoadedList } from '../components/loaded.tsx';
import { NeedsOwner } from '../components/needs-owner.tsx';
import { act, hasOwner, href, mayWrite, scope } from '../state.ts';
import type { Fact } from '../types.ts';
import { useQuery } from '../use-query.ts';
import { date, label } from '../words.ts';

/** Permanent facts by category. Each can be edited in the list. */
export function FactsView(): JSX.Element {
  const place = scope.value;
  const query = useQuery(
    hasOwner.value ? (signal) => get<{ items: Fact[] }>('/v1/facts', { scope: place, signal }) : null,
    [place],
  );
  if (!hasOwner.value) return <NeedsOwner what="Facts belong to one person." />;
  return (
    <div class="page">
      <h1>Facts</h1>
      <p class="muted">
        Permanent facts about {place.user ?? 'this agent'}. They never fade, and every prompt contains them.
      </p>
      {mayWrite.value ? <NewFact /> : null}
      <LoadedList
        query={query}
        empty={
          <Empty title="No permanent facts yet">
            <p>Pin a statement with an attribute, or write a fact above.</p>
          </Empty>
        }
      >
        {({ items }) =>
          [...Map.groupBy(items, ({ category }) => category ?? 'general')].map(([category, facts]) => (
            <Panel key={category} title={label(category)}>
              <ul class="facts">
                {facts.map((fact) => (
                  <FactRow key={fact.id} fact={fact} />
                ))}
              </ul>
            </Panel>
          ))
        }
      </LoadedList>
    </div>
  );
}

function FactRow({ fact }: { fact: Fact }): JSX.Element {
  const [isEditing, setEditing] = useState(false);
  return (
    <li>
      <span class="fact-key">{label(fact.key)}</span>
      {isEditing ? (
        <FactForm fact={fact} onDone={() => setEditing(false)} />
      ) : (
        <>
          <a class="fact-value" href={href('memories', [fact.id])}>
            <Text of={fact.value ?? fact.content} />
          </a>
          <span class="muted">{date(fact.statedAt)}</span>
          {mayWrite.value ? (
            <span class="actions">
              <Button
                icon="edit"
                kind="quiet"
                aria-label={`Edit ${label(fact.key)}`}
                onClick={() => setEditing(true)}
              />
              <Button
                icon="forget"
                kind="quiet"
                aria-label={`Forget ${label(fact.key)}`}
                onClick={() => void forgetFact(fact)}
              />
            </span>
          ) : null}
        </>
      )}
    </li>
  );
}

function FactForm({ fact, onDone }: { fact: Fact; onDone(): void }): JSX.Element {
  const [value, setValue] = useState(fact.value ?? '');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const save = async (): Promise<void> => {
    if (value === fact.value || (await changeFact(fact, value))) onDone();
  };
  return (
    <form
      class="fact-edit"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        ref={input}
        aria-label={label(fact.key)}
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onDone();
        }}
      />
      <Button kind="primary" type="submit">
        Save
      </Button>
      <Button onClick={onDone}>Cancel</Button>
    </form>
  );
}

const pathOf = (key: string): string => `/v1/facts/${encodeURIComponent(key)}`;

function setFact({ key, category }: Fact, value: string | null): Promise<unknown> {
  return ask('PUT', pathOf(key), { scope: scope.value, body: { value, category: category ?? undefined } });
}

function changeFact(fact: Fact, value: string): Promise<boolean> {
  return act(
    'Changed.',
    () => setFact(fact, value),
    () => setFact(fact, fact.value),
  );
}

function forgetFact(fact: Fact): Promise<boolean> {
  return act(
    'Forgotten.',
    () => ask('DELETE', pathOf(fact.key), { scope: scope.value }),
    () => setFact(fact, fact.value),
  );
}

function NewFact(): JSX.Element {
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const place = scope.value;
  const name = key
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
  return (
    <form
      class="new-fact"
      onSubmit={(event) => {
        event.preventDefault();
        void act('Saved.', () => ask('PUT', pathOf(name), { scope: place, body: { value } })).then((done) => {
          if (!done) return;
          setKey('');
          setValue('');
        });
      }}
    >
      <label class="field">
        <span>Name</span>
        <input value={key} placeholder="home city" onInput={(event) => setKey(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Value</span>
        <input value={value} placeholder="Ghent" onInput={(event) => setValue(event.currentTarget.value)} />
      </label>
      <Button kind="primary" type="submit" disabled={name === '' || value.trim() === ''}>
        Add
      </Button>
    </form>
  );
}

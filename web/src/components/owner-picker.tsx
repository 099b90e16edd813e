import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api.ts';
import { go, hasOwner, href, isOperator, loadOwners, owners, route, say, scope } from '../state.ts';
import { useRested } from '../use-query.ts';
import { number, ownerName } from '../words.ts';

const SPLIT = '\n';
// The value of no owner, because the value of an owner contains the separator.
const DEMO = 'demo';

const MANY = 500;
const TYPING_RESTS = 200;

/** Chooses whose memories are shown: the memories of all owners, or of one agent and user. */
export function OwnerPicker(): JSX.Element {
  const [typed, setTyped] = useState('');
  const match = useRested(typed, TYPING_RESTS);
  const hasMany = useRef(false);
  hasMany.current ||= owners.value.length >= MANY;
  useEffect(() => {
    if (hasMany.current)
      void loadOwners(match === '' ? undefined : match).catch((error: unknown) =>
        say(messageOf(error), { isError: true }),
      );
  }, [match]);
  const { agent, user } = scope.value;
  const value = hasOwner.value ? `${agent ?? ''}${SPLIT}${user ?? ''}` : '';
  const known = owners.value.filter((owner) => owner.agent !== null || owner.user !== null);
  const isKnown = known.some((owner) => owner.agent === agent && owner.user === user);
  return (
    <>
      {hasMany.current ? (
        <input
          class="owner-search"
          type="search"
          aria-label="Find somebody"
          placeholder="Find somebody"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <label class="owner-picker">
        <span class="visually-hidden">Whose memory</span>
        <select
          value={value}
          onChange={(event) => {
            if (event.currentTarget.value === DEMO) {
              go(href('demo', [], { agent: null, user: null }));
              return;
            }
            const [nextAgent = '', nextUser = ''] = event.currentTarget.value.split(SPLIT);

            go(href(route.value.view || 'memories', [], { agent: nextAgent || null, user: nextUser || null }));
          }}
        >
          <option value="">Everybody</option>
          {isKnown || !hasOwner.value ? null : <option value={value}>{ownerName({ agent, user })}</option>}
          {known.map((owner) => (
            <option key={`${owner.agent} ${owner.user}`} value={`${owner.agent ?? ''}${SPLIT}${owner.user ?? ''}`}>
              {ownerName(owner)} ({number(owner.memories)})
            </option>
          ))}
          {isOperator.value ? <option value={DEMO}>Demo …</option> : null}
        </select>
      </label>
    </>
  );
}

import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { go, href, owners, route } from '../state.ts';
import { ownerName, plural } from '../words.ts';
import { Empty } from './loaded.tsx';

/** Asks the user to choose an owner, for views that cannot show all owners at once. A single owner is chosen automatically. */
export function NeedsOwner({ what }: { what: string }): JSX.Element {
  const only = onlyOwner();
  useEffect(() => {
    if (only !== undefined) go(href(route.value.view, [], { agent: only.agent, user: only.user }), { replace: true });
  }, [only]);
  return (
    <Empty title="Whose memory?">
      <OwnerChoices what={`${what} Choose one:`} />
    </Empty>
  );
}

const known = (): typeof owners.value => owners.value.filter(({ agent, user }) => agent !== null || user !== null);

/** The owner, if the store has exactly one. */
export function onlyOwner(): (typeof owners.value)[number] | undefined {
  const [only, ...others] = known();
  return others.length === 0 ? only : undefined;
}

/** The owners as buttons, which choose an owner for the view that is open. */
export function OwnerChoices({ what, keep = {} }: { what: string; keep?: Record<string, string> }): JSX.Element {
  return (
    <>
      <p>{what}</p>
      <ul class="owner-choices">
        {known()
          .slice(0, 12)
          .map(({ agent, user, memories }) => (
            <li key={`${agent} ${user}`}>
              <a href={href(route.value.view, [], { ...keep, agent, user })}>
                {ownerName({ agent, user })} <span class="muted">{plural(memories, 'memory', 'memories')}</span>
              </a>
            </li>
          ))}
      </ul>
    </>
  );
}

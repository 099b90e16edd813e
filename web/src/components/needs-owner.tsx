import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { go, href, owners, route } from '../state.ts';
import { ownerName, plural } from '../words.ts';
import { Empty } from './basics.tsx';

/** Asks the user to choose an owner, for views that cannot show all owners at once. A single owner is chosen automatically. */
export function NeedsOwner({ what }: { what: string }): JSX.Element {
  const known = owners.value.filter(({ agent, user }) => agent !== null || user !== null);
  const only = known.length === 1 ? known[0] : undefined;
  useEffect(() => {
    if (only !== undefined) go(href(route.value.view, [], { agent: only.agent, user: only.user }), { replace: true });
  }, [only]);
  return (
    <Empty title="Whose memory?">
      <p>{what} Choose one:</p>
      <ul class="owner-choices">
        {known.slice(0, 12).map(({ agent, user, memories }) => (
          <li key={`${agent} ${user}`}>
            <a href={href(route.value.view, [], { agent, user })}>
              {ownerName({ agent, user })} <span class="muted">{plural(memories, 'memory', 'memories')}</span>
            </a>
          </li>
        ))}
      </ul>
    </Empty>
  );
}

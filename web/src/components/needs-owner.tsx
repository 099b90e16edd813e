import type { JSX } from 'preact';
import { href, owners, route } from '../state.ts';
import { ownerName, plural } from '../words.ts';
import { Empty } from './basics.tsx';

/** Asks the user to choose an owner, for views that cannot show all owners at once. */
export function NeedsOwner({ what }: { what: string }): JSX.Element {
  return (
    <Empty title="Whose memory?">
      <p>{what} Choose one:</p>
      <ul class="owner-choices">
        {owners.value
          .filter(({ agent, user }) => agent !== null || user !== null)
          .slice(0, 12)
          .map(({ agent, user, memories }) => (
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

import type { ComponentChildren, JSX } from 'preact';
import { ApiError, messageOf } from '../api.ts';
import type { Query } from '../use-query.ts';
import { Text } from './basics.tsx';
import { Logo } from './icons.tsx';

/** A view without data. The children say what would be here and how it comes to be. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <Logo />
      <p class="empty-title">{title}</p>
      <div class="empty-text">{children}</div>
    </div>
  );
}

/** Shows the data of a query, its error, or that it is loading. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: Query<Data>;
  children(data: Data): ComponentChildren;
}): JSX.Element {
  if (query.error !== null) return <Problem error={query.error} />;
  if (query.data === null) return <div class="loading" role="status" aria-label="Loading" />;
  return <>{children(query.data)}</>;
}

/** Shows the answer of a query for a list, or `empty` if the list has no items. */
export function LoadedList<Answer extends { items: readonly unknown[] }>({
  query,
  empty,
  children,
}: {
  query: Query<Answer>;
  empty: ComponentChildren;
  children(answer: Answer): ComponentChildren;
}): JSX.Element {
  return <Loaded query={query}>{(answer) => (answer.items.length === 0 ? empty : children(answer))}</Loaded>;
}

function Problem({ error }: { error: unknown }): JSX.Element {
  const isOutside = error instanceof ApiError && error.code === 'outside_scope';
  return (
    <div class="problem" role="alert">
      <strong>{isOutside ? 'This key has no access to that memory.' : 'The request failed.'}</strong>{' '}
      <Text of={messageOf(error)} />
    </div>
  );
}

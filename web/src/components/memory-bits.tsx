import type { JSX } from 'preact';
import { href, isPersonal } from '../state.ts';
import type { Memory } from '../types.ts';
import { ago, date, inSecondPerson, label } from '../words.ts';
import { Badge, Text, TypeBadge } from './basics.tsx';
import { Icon } from './icons.tsx';
import { isPinned } from '../memory-actions.ts';

/** The reasons why a memory is out of recall, in words. */
export const ARCHIVED_AS: Readonly<Record<string, string>> = {
  superseded: 'replaced',
  contradicted: 'no longer true',
  merged: 'merged into another',
  decayed: 'faded',
  pruned: 'archived',
  expired: 'expired',
  absorbed: 'absorbed by another',
  forgotten: 'forgotten',
};

export const archivedAs = ({ archiveReason }: Memory): string => ARCHIVED_AS[archiveReason ?? ''] ?? 'archived';

/** The text of a memory, in the second person for a personal key. Readers who may not see a forgotten memory get no text. */
export function MemoryText({ memory }: { memory: Memory }): JSX.Element {
  if (memory.content === '') return <em class="muted">Forgotten. Its words are not shown.</em>;
  const text = memory.title === null ? memory.content : `${memory.title}: ${memory.content}`;
  return <Text of={isPersonal.value ? inSecondPerson(text) : text} />;
}

/** One memory on two lines, for lists. */
export function MemoryRow({ memory, showOwner = false }: { memory: Memory; showOwner?: boolean }): JSX.Element {
  const isArchived = memory.archivedAt !== null;
  return (
    <div class={`memory-row ${isArchived ? 'is-archived' : ''}`}>
      <div class="memory-row-text" dir="auto">
        {isPinned(memory) ? (
          <span class="pin" title="Pinned">
            <Icon name="pin" />
          </span>
        ) : null}
        <MemoryText memory={memory} />
      </div>
      <div class="memory-row-meta">
        <TypeBadge type={memory.type} />
        {memory.attribute === null ? null : <span>{label(memory.attribute)}</span>}
        {memory.subject === 'User' || memory.subject === '' ? null : (
          <span>
            <Text of={memory.subject} />
          </span>
        )}
        {showOwner && memory.scope.user !== null ? <span>{memory.scope.user}</span> : null}
        {isArchived ? <span>{archivedAs(memory)}</span> : null}
        <span class="push" title={date(memory.statedAt)}>
          {ago(memory.statedAt)}
        </span>
      </div>
    </div>
  );
}

/** A memory as a link to its page. */
export function MemoryLink({ memory }: { memory: Memory }): JSX.Element {
  return (
    <a
      class={`memory-link ${memory.archivedAt === null ? '' : 'is-archived'}`}
      href={href('memories', [memory.id], { agent: memory.scope.agent, user: memory.scope.user })}
    >
      <span class="memory-link-text" dir="auto">
        <MemoryText memory={memory} />
      </span>
      <span class="memory-link-meta">
        <TypeBadge type={memory.type} /> {date(memory.statedAt)}
        {memory.archivedAt === null ? null : ` · ${archivedAs(memory)}`}
      </span>
    </a>
  );
}

export function TrustBadge({ memory }: { memory: Memory }): JSX.Element {
  const tone = { high: 'good', medium: 'plain', low: 'warn', untrusted: 'bad' }[memory.trust as string] ?? 'plain';
  return <Badge tone={tone}>{memory.trust} trust</Badge>;
}

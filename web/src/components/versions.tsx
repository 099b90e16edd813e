import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Memory, Revision } from '../types.ts';
import { date, dateTime, label, statedDay } from '../words.ts';
import { Table, Text } from './basics.tsx';
import { Diff } from './diff.tsx';

interface Version {
  number: number;
  at: string;
  reason: string;
  actor: string;
  state: Record<string, unknown>;
}

/** Fields that change when a memory is read or stored and are not part of the statement. */
const UNTOLD = new Set([
  'id',
  'scope',
  'updatedAt',
  'version',
  'accessCount',
  'lastAccessedAt',
  'internal',
  'contentHash',
]);

/** The versions of a record. A revision has the state before its change, so the state after it is in the next revision or the record. */
function versionsOf(current: Record<string, unknown>, revisions: readonly Revision[]): Version[] {
  return revisions.map(({ version, at, reason, actor }, index) => ({
    number: version,
    at,
    reason,
    actor,
    state: (revisions[index + 1]?.before as Record<string, unknown> | null | undefined) ?? current,
  }));
}

const DAYS: ReadonlySet<string> = new Set(['validFrom', 'validTo']);

function textOf(name: string, { [name]: value, internal }: Record<string, unknown>): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'string' && DAYS.has(name)) return date(statedDay({ internal: internal ?? {} }, value));
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? dateTime(value) : value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function changedFields(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !UNTOLD.has(name) && textOf(name, before) !== textOf(name, after));
}

/** All versions of a memory, and the changes between the chosen version and the one before it. */
export function Versions({ memory, revisions }: { memory: Memory; revisions: Revision[] }): JSX.Element {
  const versions = versionsOf(memory as unknown as Record<string, unknown>, revisions);
  const [chosen, setChosen] = useState<number | null>(null);
  const last = versions.length - 1;
  const index = Math.min(chosen ?? last, last);
  const version = versions[index];
  const before = versions[index - 1];
  return (
    <div class="versions">
      <ol class="version-list">
        {versions.map(({ number, at, reason, actor }, place) => (
          <li key={number}>
            <button type="button" aria-pressed={place === index} onClick={() => setChosen(place)}>
              <strong>v{number}</strong>
              <span class="version-reason">
                <Text of={reason} /> <span class="muted">by {actor}</span>
              </span>
              <time class="muted" dateTime={at}>
                {dateTime(at)}
              </time>
            </button>
          </li>
        ))}
      </ol>
      {version === undefined || before === undefined ? (
        <p class="muted">This is the first version.</p>
      ) : (
        <Changes before={before} after={version} />
      )}
    </div>
  );
}

function Changes({ before, after }: { before: Version; after: Version }): JSX.Element {
  return (
    <Table label="What changed" kind="side-by-side" columns={['Field', `v${before.number}`, `v${after.number}`]}>
      {changedFields(before.state, after.state).map((name) => {
        const [old, now] = [textOf(name, before.state), textOf(name, after.state)];
        return (
          <tr key={name}>
            <th scope="row">{label(name)}</th>
            <td>
              <Text of={old} />
            </td>
            <td>
              <Diff before={old} after={now} />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

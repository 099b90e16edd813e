// The fields that hold times. A text that looks like a time elsewhere is the application's own.
const TIMES: ReadonlySet<string> = new Set(
  (
    'occurredAt recordedAt processedAt createdAt updatedAt archivedAt expiresAt lastAccessedAt dueAt ' +
    'validFrom validTo statedAt startedAt lastEventAt fetchedAt runAt leaseUntil finishedAt at revokedAt'
  ).split(' '),
);
const FREE: ReadonlySet<string> = new Set([
  'metadata',
  'internal',
  'proposal',
  'content',
  'payload',
  'schema',
  'details',
  'arguments',
]);

/** The same value, with the times of records as Dates. What an application stored is left as it is. */
export function reviveDates(value: unknown, field = ''): unknown {
  if (typeof value === 'string') return TIMES.has(field) ? new Date(value) : value;
  if (Array.isArray(value)) return value.map((item) => reviveDates(item));
  if (typeof value !== 'object' || value === null || FREE.has(field)) return value;
  // Of a revision: the record as it was, in the form in which it is stored.
  if (field === 'before') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, reviveDates(inner, name)]));
}

/** A record of a foreign format, of which nothing is certain. */
export type Foreign = Record<string, unknown>;

export function isObject(value: unknown): value is Foreign {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of the fields that holds a text with something in it. Numbers and MongoDB's ids count as texts. */
export function textOf(record: Foreign, ...fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = plain(record[field]);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The texts of a list, or of a single one. */
export function textsOf(record: Foreign, field: string): string[] {
  const value = record[field];
  const values = Array.isArray(value) ? value : value == null ? [] : [value];
  return values.map(plain).flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []));
}

/** A time in any of the ways in which exports write one: ISO 8601, seconds or milliseconds, MongoDB's `$date`. */
export function timeOf(record: Foreign, ...fields: readonly string[]): Date | undefined {
  for (const field of fields) {
    const value = plain(record[field]);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    const number = typeof value === 'number' ? value : /^\d{9,17}(\.\d+)?$/.test(value) ? Number(value) : null;
    // Seconds since 1970 are below this until the year 5138, milliseconds above it since 1973.
    const time = number === null ? new Date(value) : new Date(number < 1e11 ? number * 1000 : number);
    if (!Number.isNaN(time.getTime())) return time;
  }
  return undefined;
}

/** MongoDB's extended JSON as plain JSON. */
function plain(value: unknown): unknown {
  if (!isObject(value)) return value;
  if ('$oid' in value) return value['$oid'];
  if ('$numberLong' in value) return Number(value['$numberLong']);
  if ('$date' in value) return plain(value['$date']);
  return value;
}

/** A part of a scope as Varve takes it; undefined when the text cannot be one. */
export function scopePart(text: string | undefined): string | undefined {
  const part = text?.replaceAll(/\p{C}/gu, '').trim().slice(0, 200).trim();
  return part === '' ? undefined : part;
}

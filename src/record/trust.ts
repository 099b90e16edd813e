/** Who or what an event comes from. */
export const ORIGINS = ['user', 'agent', 'tool', 'document', 'system'] as const;
export type Origin = (typeof ORIGINS)[number];

/** How far a record's origin is to be believed, lowest first. */
export const TRUST_LEVELS = ['low', 'medium', 'high'] as const;
export type Trust = (typeof TRUST_LEVELS)[number];

/** How sure a statement is, lowest first. */
export const CONFIDENCE_LEVELS = ['low', 'medium', 'high'] as const;
export type Confidence = (typeof CONFIDENCE_LEVELS)[number];

const TRUST_OF_ORIGIN: Record<Origin, Trust> = {
  user: 'high',
  system: 'high',
  agent: 'medium',
  tool: 'low',
  document: 'low',
};

/** The trust that an origin starts with. */
export function trustOf(origin: Origin): Trust {
  return TRUST_OF_ORIGIN[origin];
}

/** Whether the first is believed more than the second: what is believed less replaces nothing. */
export function isMoreTrusted(one: Trust, other: Trust): boolean {
  return TRUST_LEVELS.indexOf(one) > TRUST_LEVELS.indexOf(other);
}

/** What is derived from several sources is trusted as far as the least of them. */
export function lowestTrust(levels: readonly Trust[]): Trust {
  const lowest = Math.min(...levels.map((level) => TRUST_LEVELS.indexOf(level)));
  return TRUST_LEVELS[lowest] ?? 'low';
}

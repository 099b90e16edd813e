import { extractEntities } from '../language/extract-entities.ts';
import { ENTITY_TYPES, entitySlug, type EntityType, type NewEntity } from '../record/entity.ts';
import { newMemorySchema, type NewMemory } from '../record/memory.ts';
import { parse, type Parsed } from '../record/parse.ts';
import type { Scope, ScopeLevel } from '../record/scope.ts';
import type { Proposal } from './proposal.ts';

/** Where the memories of a proposal live in this scope: with the user, with the agent, or both. */
export function levelsOf(proposal: Pick<Proposal, 'levels'>, scope: Scope): ScopeLevel[] {
  const wanted = proposal.levels.length === 0 ? (['user'] as const) : proposal.levels;
  const widest: ScopeLevel = scope.user !== null ? 'user' : scope.agent !== null ? 'agent' : 'tenant';
  const at = { user: widest, agent: scope.agent === null ? widest : ('agent' as const) };
  return [...new Set(wanted.map((level) => at[level]))];
}

/** A proposal as it is stored, its entities aside. */
export function toMemory(
  proposal: Proposal,
  { scope, distiller, level }: { scope: Scope; distiller: string; level: ScopeLevel },
): Parsed<NewMemory> {
  const { validFrom, validTo } = validity(proposal);
  return parse(
    newMemorySchema,
    {
      type: proposal.type,
      content: proposal.content,
      level,
      importance: proposal.importance,
      confidence: proposal.confidence,
      trust: proposal.trust,
      sourceType: proposal.sourceType,
      sourceSession: scope.session,
      sourceEvents: proposal.events.map((event) => event.id),
      tags: tagsOf(proposal),
      state: proposal.type === 'intention' || proposal.type === 'goal' ? 'open' : null,
      dueAt: proposal.dueAt,
      validFrom,
      validTo,
      metadata: metadataOf(proposal, distiller),
    },
    'The memory',
  );
}

/** What formation keeps with a memory: what it is about, when and how it was said, and who distilled it. */
export function metadataOf(proposal: Proposal, distiller: string): Record<string, unknown> {
  return {
    slot: { ...proposal.slot },
    statedAt: proposal.statedAt.toISOString(),
    statedAs: proposal.sourceType,
    distiller,
    ...(proposal.correction === true ? { correction: true } : {}),
    ...(proposal.marks.length > 0 ? { sensitive: proposal.marks } : {}),
  };
}

const MOST_TAGS = 20;
// What launches and rents alike have is no topic.
const OF_ANY_THING = new Set(['date', 'time', 'start', 'end', 'amount', 'called', 'where', 'off']);

/** Its tags, what it is about, and what of it is sensitive. */
export function tagsOf(proposal: Proposal): string[] {
  const attribute = proposal.slot.attribute ?? '';
  const tags = [
    ...proposal.marks.map((mark) => `sensitive:${mark}`),
    // By its tag a memory of the same attribute is found whatever its words.
    ...(/^[a-z_]+$/.test(attribute) && !OF_ANY_THING.has(attribute) ? [attribute] : []),
    ...proposal.tags.map((tag) => tag.trim().slice(0, 100)).filter((tag) => /\S/.test(tag) && !tag.includes('\0')),
  ];
  return [...new Set(tags)].slice(0, MOST_TAGS);
}

function validity({ validFrom, validTo }: Proposal): { validFrom: Date | null; validTo: Date | null } {
  const from = toDate(validFrom);
  const to = toDate(validTo);
  return from !== null && to !== null && to < from
    ? { validFrom: from, validTo: null }
    : { validFrom: from, validTo: to };
}

function toDate(text: string | null): Date | null {
  if (text === null || !/^\d{4}-\d{2}/.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time);
}

const MOST_ENTITIES = 20;

/** What a statement names: read from its words, and from what the distiller says it is about. */
export function entitiesOf(proposal: Proposal): NewEntity[] {
  const found = new Map<string, NewEntity>();
  const known: readonly string[] = ENTITY_TYPES;
  // "User's Diwali post" names a post, not a user's.
  for (const { type, name, aliases } of extractEntities(proposal.content.replace(/\b[Uu]ser['’]s\b/g, 'my'))) {
    if (known.includes(type) && !isNumber(name))
      found.set(entitySlug(name), { type: type as EntityType, name, aliases });
  }
  const said = extractEntities(proposal.events.map((event) => event.content).join('\n'));
  for (const name of proposal.entities) {
    const slug = entitySlug(name);
    if (slug === '' || found.has(slug) || isNumber(name) || /^user\b/i.test(name) || !isNamed(name, proposal)) continue;
    const type = said.find((entity) => entitySlug(entity.name) === slug)?.type ?? 'other';
    found.set(slug, { type: type as EntityType, name: name.slice(0, 200) });
  }
  found.delete('');
  return [...found.values()].slice(0, MOST_ENTITIES);
}

function isNumber(name: string): boolean {
  return /^[\d\s.,:/-]+$/.test(name);
}

// A name that neither the statement nor its sources hold was invented.
function isNamed(name: string, proposal: Proposal): boolean {
  const lower = name.toLowerCase();
  return [proposal.content, ...proposal.events.map((event) => event.content)].some((text) =>
    text.toLowerCase().includes(lower),
  );
}

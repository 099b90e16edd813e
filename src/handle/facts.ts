import { z } from 'zod';
import { formText, readText } from '../form/form-text.ts';
import { inOwnZone } from '../form/form.ts';
import type { FormDeps } from '../form/formation-settings.ts';
import { retireAll, writeInPlace } from '../form/apply/apply.ts';
import { nothingFormed, readStatement } from '../form/read/reader.ts';
import { resolveDates } from '../language/resolve-dates.ts';
import { attributeLabel, givenKeySchema, olderKey } from '../record/attribute-table.ts';
import { isMoreTrusted, isSameValue } from '../record/statement.ts';
import { type Origin, ORIGINS, trustOf, USER } from '../record/statement.ts';
import { FACT_CATEGORIES, type FactCategory } from '../record/attributes.ts';
import type { InternalChange, InternalMemory, Memory } from '../record/memory.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Change } from '../record/revision.ts';
import { depthOf, ownerKey, ownerLevel, type Scope, scopeAt, sharedOwner } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import { forget } from '../store/forget/forget.ts';
import { changeOwner } from '../store/owner-store.ts';
import { listMemories, listStatements, statementHistory } from '../store/read-memories.ts';
import { reviseMemory, type WrittenMemory } from '../store/write-memory.ts';
import { parseChange } from './change.ts';

/** The input of `facts.set()`. */
export interface FactInput {
  /** A key in snake_case, such as `home_city`. "Home City" and `homeCity` are converted. */
  key: string;
  value: string;
  /** Default: the category of the key's attribute, or `general`. */
  category?: FactCategory;
  /** Ids of the events that state the fact. */
  sourceEvents?: string[];
  /** Who states the fact. Default: `system`, the application itself. A less trusted value never replaces a more trusted one. */
  statedBy?: Origin;
  /** The text of the memory. Default: the label of the key and the value. A sentence about a future day is stored as a plan. */
  text?: string;
}

/** A permanent fact: a live statement about the user, with its attribute as the key. */
export type Fact = Memory & { key: string };

export interface FactReader {
  /** Returns the newest live value under a key, from the innermost level that has one, or null. */
  get(key: string): Promise<Fact | null>;
  /** Lists all facts by category and key. An attribute with many values has one fact for each value. */
  list(): Promise<Fact[]>;
}

/** Reads and writes permanent facts. They are never pruned, and every prompt contains them. */
export interface FactHandle extends FactReader {
  /** Sets a value. Unless the attribute has many values, the new value replaces the old one, which stays in the history. */
  set(fact: FactInput, why?: Partial<Change>): Promise<WrittenMemory>;
  /** Forgets all values of a key and hides the words that state them. Returns false if there was none. */
  forget(key: string, why?: Partial<Change>): Promise<boolean>;
}

const factSchema: z.ZodType<FactInput, FactInput> = z.strictObject({
  key: givenKeySchema,
  value: textSchema(5000),
  category: z.enum(FACT_CATEGORIES).optional(),
  sourceEvents: z.array(textSchema(200)).max(1000).optional(),
  statedBy: z.enum(ORIGINS).optional(),
  text: textSchema(5000).optional(),
});

export function factReader(parts: Parts, scope: Scope, asOf: Date | null): FactReader {
  const list = async (attributes?: string[]): Promise<Fact[]> => {
    const filter = { permanent: true, subjects: [USER], limit: 1000, attributes };
    const { items } = await parts.database.read(scope.tenant, (reader) =>
      listMemories(reader, scope, filter, { now: parts.clock.now(), asOf }),
    );
    return items.flatMap((memory) => (memory.attribute === null ? [] : [{ ...memory, key: memory.attribute }]));
  };
  const depth = ({ scope: place }: Memory): number => depthOf(place, parts.sharesFacts);
  return {
    async get(key) {
      const [innermost] = (await list(attributesOf(parts, key))).sort(
        (a, b) => depth(b) - depth(a) || b.statedAt.getTime() - a.statedAt.getTime(),
      );
      return innermost ?? null;
    },
    async list() {
      const facts = await list();
      return facts.sort((a, b) => compare(a.category, b.category) || compare(a.key, b.key));
    },
  };
}

export function factHandle(parts: FormDeps, scope: Scope): FactHandle {
  return {
    ...factReader(parts, scope, null),
    async set(fact, why) {
      const input = { ...parse(factSchema, fact, 'The fact'), key: fact.key };
      const reason = parseChange(why, 'stated as a fact');
      const plan = await planOf(parts, scope, input);
      return parts.database.write(scope.tenant, async (writer) => {
        const planned = plan === null ? null : await formText(writer, parts, { scope, ...plan, why: reason });
        return planned ?? setFact(writer, parts, { scope, input, why: reason });
      });
    },
    async forget(key, why) {
      const attributes = attributesOf(parts, key);
      const reason = parseChange(why, 'forgotten on request');
      return parts.database.write(scope.tenant, async (writer) => {
        const owners = factOwners(parts, scope);
        const [owner] = owners;
        for (const each of owners) await changeOwner(writer, each, parts.clock.now());
        const facts = await ownFacts(writer, parts, { scope, attributes });
        if (facts.length === 0) return false;
        // A key is forgotten with its history.
        const keyed = { owners: owners.map(ownerKey), attributes };
        const past = (await statementHistory(writer, scope.tenant, keyed)).filter(
          ({ subject, scope: place, archivedAt }) =>
            archivedAt !== null && subject === USER && place.connection === owner.connection,
        );
        const { actor: by = 'application' } = reason;
        await forget(writer, parts, { scope: owner, memories: [...facts, ...past], by, why: reason });
        return true;
      });
    },
  };
}

// In a fact's sentence, a pronoun at the beginning refers to the user.
const HE_OR_SHE = /^(?:he|she|they) /iu;

/** The plan that a fact's sentence states. Null if the value itself contains a date: it is then no plan for that day. */
async function planOf(
  parts: FormDeps,
  scope: Scope,
  { key, value, text: content, statedBy, sourceEvents }: FactInput,
): Promise<Pick<Parameters<typeof formText>[2], 'memory' | 'statements' | 'readBy'> | null> {
  const at = new Date(parts.clock.now());
  const { timeZone } = parts.settings;
  if (content === undefined || scope.user === null || scope.connection !== null) return null;
  if (resolveDates(value, { now: at, timeZone }).length > 0) return null;
  const deps = await parts.database.read(scope.tenant, (reader) => inOwnZone(reader, parts, scope));
  const {
    statements: [{ tense, from }],
  } = await readText(deps, scope, content.replace(HE_OR_SHE, 'User '), at);
  if (tense !== 'planned' || from === null) return null;
  const fields = { attribute: attributesOf(parts, key)[0], value: value.trim(), tense, from };
  return {
    memory: { type: 'fact', content, statedAt: at, statedBy, sourceEvents },
    statements: [readStatement({ text: content, type: 'fact', quotes: [], ...fields })],
    readBy: 'remember',
  };
}

/**
 * If another value of the key is trusted more, nothing is stored. Three rules differ from those for statements of a conversation: a key
 * that is not in the table has one value, "Linz, Austria" replaces "Linz", and a forgotten value can be set again.
 */
async function setFact(
  writer: Writer,
  parts: FormDeps,
  { scope, input, why }: { scope: Scope; input: FactInput; why: Change },
): Promise<WrittenMemory> {
  const attributes = attributesOf(parts, input.key);
  const [attribute] = attributes;
  const policy = parts.attributes.policyOf(attribute);
  const value = input.value.trim();
  const owners = factOwners(parts, scope);
  for (const each of owners) await changeOwner(writer, each, parts.clock.now());
  const known = await ownFacts(writer, parts, { scope, attributes });
  const same = known.find((memory) => isSameValue(memory.value, value, policy.shape) && memory.value?.trim() === value);
  const statedBy = input.statedBy ?? 'system';
  const trust = trustOf(statedBy);
  const others =
    parts.attributes.isKnown(attribute) && policy.values === 'many' ? [] : known.filter((memory) => memory !== same);
  const retires = others.map((memory) => ({ memory, how: 'replaced' as const }));
  const stronger = others.find((other) => isMoreTrusted(other.trust, trust));
  if (stronger !== undefined && same === undefined) return { memory: stronger, outcome: 'unchanged' };
  const writing = { writer, deps: parts, scope: owners[0], events: [], readBy: 'facts', result: nothingFormed(), why };
  const setting = { ...writing, statement: { validFrom: null, statedAt: new Date(parts.clock.now()) } };
  if (same !== undefined) {
    if (isMoreTrusted(same.trust, trust)) return { memory: same, outcome: 'unchanged' };
    await retireAll(setting, same.id, retires);
    const confirmed = { sourceType: 'explicit', trust, statedBy, sourceEvents: input.sourceEvents } as const;
    return { memory: await confirmFact(writer, parts, same, { change: confirmed, why }), outcome: 'unchanged' };
  }
  const fact: InternalMemory = {
    type: 'fact',
    subject: USER,
    attribute,
    value,
    category: input.category ?? policy.category,
    content: input.text ?? `${attributeLabel(parts.attributes, attribute)}: ${value}`,
    permanent: true,
    importance: 0.8,
    statedBy,
    sourceType: statedBy === 'tool' || statedBy === 'document' ? 'inference' : 'explicit',
    sourceEvents: input.sourceEvents,
    sourceSession: scope.session,
  };
  const { memory, outcome } = await writeInPlace(setting, fact, retires);
  return { memory, outcome: others.length === 0 ? outcome : 'superseded' };
}

/** A draft of the local reader becomes the application's own value. Otherwise a model could drop it when it reads the turns. */
async function confirmFact(
  writer: Writer,
  parts: Parts,
  fact: Memory,
  { change, why }: { change: InternalChange; why: Change },
): Promise<Memory> {
  const isDraft = fact.reader === 'local';
  if (fact.permanent && fact.sourceType === 'explicit' && !isDraft) return fact;
  const reader = isDraft ? null : fact.reader;
  return reviseMemory(writer, parts, fact, { change: { ...change, permanent: true, reader }, why });
}

/**
 * `city` becomes `home_city`, which has one value. `dog_name` and `cat_name` stay two keys, because the attribute for names of pets has
 * many values. A second result is the name under which an earlier version stored the key.
 */
function attributesOf({ attributes }: Parts, key: string): [attribute: string, ...older: string[]] {
  const name = parse(givenKeySchema, key, 'The key');
  const resolved = [name, key].flatMap((each) => attributes.resolve(each) ?? []);
  const attribute = resolved.find((each) => attributes.policyOf(each).values === 'one') ?? name;
  const older = olderKey(key);
  return older === name || older === '' ? [attribute] : [attribute, older];
}

/** The handle's own owner and, if facts are shared, the user without an agent. */
function factOwners({ sharesFacts }: Parts, scope: Scope): [Scope, ...Scope[]] {
  const own = scopeAt(scope, ownerLevel(scope));
  const isShared = sharesFacts === true && scope.user !== null && scope.agent !== null && scope.connection === null;
  return isShared ? [own, sharedOwner(scope)] : [own];
}

async function ownFacts(
  writer: Writer,
  parts: Parts,
  { scope, attributes }: { scope: Scope; attributes: readonly string[] },
): Promise<Memory[]> {
  const owners = factOwners(parts, scope);
  const [owner] = owners;
  const live: Memory[] = [];
  for (const each of owners)
    live.push(...(await listStatements(writer, each, { subjects: [USER], attributes, owner: 'own' })));
  return live.filter(
    ({ polarity, tense, scope: place }) =>
      polarity === 'affirmed' && tense !== 'planned' && tense !== 'happened' && place.connection === owner.connection,
  );
}

function compare(a: string | null, b: string | null): number {
  return (a ?? '').localeCompare(b ?? '', 'en');
}

import type { Fact, FactReader } from '../../handle/facts.ts';
import type { Handle } from '../../handle/handle.ts';
import { BLOCK_KINDS, type BlockKindName } from '../../record/block.ts';
import type { FactCategory } from '../../record/attributes.ts';
import type { Revision } from '../../record/revision.ts';
import { keySchema } from '../../record/attribute-table.ts';
import { USER } from '../../record/statement.ts';
import type { MemoryFilter } from '../../store/read-memories.ts';
import type { Page } from '../../store/rows.ts';
import type { WrittenMemory } from '../../store/write-memory.ts';
import { forgetMeant } from '../../tools/everyday-tools.ts';
import { type Command, type CommandInput, EXIT, flag, UsageError, valued } from '../command.ts';
import { LISTED_KINDS, listOption, numberOption, oneOf, oneWord, readWords, textOption } from '../command.ts';
import { noteOtherScopes, withHandle } from '../open-memory.ts';
import { ended, singleLine } from '../../language/words.ts';
import { table } from '../output.ts';

export const remember: Command = {
  usage: 'remember <text> [--type fact] [--key home_city]',
  help: 'Stores one statement as it is written. Its subject, attribute and value are read from its words, so that "I moved to Munich" replaces "I live in Oslo". With --key the text is stored as a permanent fact: each key has one value, and a new value replaces the old one.',
  options: {
    type: valued('type', 'fact, preference, goal, decision, note, … (default fact)', { short: 't' }),
    key: valued('snake_case', 'a permanent fact under this key'),
    category: valued('name', 'the category of a permanent fact: location, personal, preference, work, health, general'),
    title: valued('text', 'the title of a note'),
    tag: valued('tag', 'a tag; can be given more than once', { multiple: true }),
    importance: valued('0–1', 'how important it is'),
  },
  examples: [
    'varve remember "I live in Oslo"',
    'varve remember Oslo --key home_city --category location',
    'varve remember - --type note --title "Trip" < trip.txt',
  ],
  async run(input) {
    const content = await readWords(input);
    const key = textOption(input, 'key');
    const category = textOption(input, 'category') as FactCategory | undefined;
    await withHandle(input, { creates: true }, async (handle) => {
      const written =
        key === undefined
          ? await handle.memories.create({
              type: textOption(input, 'type') ?? 'fact',
              content,
              title: textOption(input, 'title'),
              tags: listOption(input, 'tag'),
              importance: numberOption(input, 'importance'),
              read: true,
            })
          : await handle.facts.set({ key, value: content, category });
      await input.output.answer(written, () => `${written.memory.id}  ${OUTCOME_TEXTS[written.outcome]}`);
    });
  },
};

const OUTCOME_TEXTS: Record<WrittenMemory['outcome'], string> = {
  created: 'created',
  revised: 'updated the memory with this title',
  superseded: 'created; it replaced an older memory (varve list --archived)',
  unchanged: 'was known already',
};

export const forget: Command = {
  usage: 'forget <id of a memory> | forget <key of a fact> | forget <words>',
  help: 'Forgets a memory or a permanent fact: it is hidden everywhere, with the words that say it. Words select a memory if it is the only one that contains all of them. `varve forgotten` lists it and can restore it; `varve erase` removes records for good.',
  examples: ['varve forget mem_01k…', 'varve forget home_city', 'varve forget trains'],
  async run(input) {
    const what = await readWords(input);
    return withHandle(input, {}, async (handle) => {
      const why = { reason: 'forgotten on request', actor: 'user' };
      const isKey = keySchema.safeParse(what).success;
      const isForgotten = what.startsWith('mem_')
        ? (await handle.memories.forget(what, why)).archivedAt !== null
        : isKey && (await handle.facts.forget(what, why));
      const meant = isForgotten ? null : await forgetMeant(handle, what, 'user');
      const forgotten = isForgotten || (meant?.memories.length ?? 0) > 0;
      const candidates = forgotten ? [] : (meant?.candidates ?? []).map(({ id, content }) => ({ id, text: content }));
      await input.output.answer({ forgotten, ...(candidates.length > 0 ? { candidates } : {}) }, () =>
        forgotten
          ? ended(
              `Forgot ${meant === null ? what : meant.memories.map(({ content }) => singleLine(content, 120)).join('; ')}`,
            )
          : notForgotten(what, candidates),
      );
      return forgotten ? EXIT.ok : EXIT.nothing;
    });
  },
};

function notForgotten(what: string, candidates: readonly { id: string; text: string }[]): string {
  const advice = `Nothing was forgotten: no single memory clearly matches ${JSON.stringify(what)}. Give the id of a memory (varve list), the key of a fact (varve list facts), or words that only one memory contains.`;
  if (candidates.length === 0) return advice;
  return `${advice} The nearest memories:\n${table(candidates.map(({ id, text }) => [id, singleLine(text, 120)]))}`;
}

export const forgotten: Command = {
  usage: 'forgotten [restore <id>]',
  help: 'Lists the forgotten memories within the scope, newest first, with who asked and when. `restore` restores a memory and its words in the log.',
  options: { limit: valued('number', 'default 100', { short: 'n' }) },
  examples: ['varve forgotten --user ana', 'varve forgotten restore fgt_01k… --user ana'],
  async run(input) {
    const [action = 'list', id] = input.words;
    if (action !== 'list' && (action !== 'restore' || id === undefined))
      throw new UsageError('The command is not complete. Use `varve forgotten` or `varve forgotten restore <id>`.');
    await withHandle(input, {}, async ({ forgotten: all }) => {
      if (action === 'restore' && id !== undefined) {
        await all.restore(id, { reason: 'restored on request', actor: 'user' });
        return input.output.answer({ restored: id }, () => `Restored ${id}.`);
      }
      const records = await all.list({ limit: numberOption(input, 'limit') ?? 100 });
      const rows = records.map(({ id: record, at, as, by, attribute, text }) => {
        const time = at.toISOString().slice(0, 16);
        return [input.output.style('dim', record), time, as, by, attribute ?? '', singleLine(text, 80)];
      });
      await input.output.rows(records, rows, 'Nothing was forgotten within this scope.');
    });
  },
};

export const list: Command = {
  usage: `list [${LISTED_KINDS.join(' | ')}]`,
  help: 'Lists memories (default) or other records, newest first.',
  options: {
    limit: valued('number', 'default 20', { short: 'n' }),
    type: valued('type', 'only memories of this type', { multiple: true }),
    tag: valued('tag', 'only memories with all of these tags', { multiple: true }),
    subject: valued('subject', 'only memories about this person or thing', { multiple: true }),
    attribute: valued('name', 'only memories with this attribute, such as home_city', { multiple: true }),
    archived: flag('only archived memories'),
    all: flag('memories of all users and agents within the scope'),
  },
  examples: [
    'varve list',
    'varve list facts',
    'varve list --attribute home_city --archived',
    'varve list --type preference --json',
    'varve list --user "" --all',
  ],
  async run(input) {
    const kind = oneOf('list of', LISTED_KINDS, input.words[0] ?? 'memories');
    await withHandle(input, {}, async (handle, varve) => {
      const { answer, head, rows, total } = await listOf(kind, handle, input);
      const shown = (rows.length === 0 ? [] : [head, ...rows]).map(([id, ...row]) => [
        input.output.style('dim', id),
        ...row,
      ]);
      await input.output.rows(answer, shown, `There are no ${kind} within this scope.`);
      if (rows.length === 0) await noteOtherScopes(varve, input, handle);
      else if (total !== `${rows.length}`) input.output.note(`${rows.length} of ${total} ${kind}; --limit shows more.`);
    });
  },
};

type Row = [string, ...string[]];

interface Listed {
  answer: unknown;
  head: Row;
  rows: Row[];
  /** How many records there are, such as "51" or "more than 1020". */
  total: string;
}

const MOST_COUNTED = 1000;
const MOST_ENTITIES = 10_000;

async function totalOf(
  { items, cursor }: Page<unknown>,
  next: (rest: { limit: number; cursor: string }) => Promise<Page<unknown>>,
): Promise<string> {
  if (cursor === null) return `${items.length}`;
  const rest = await next({ limit: MOST_COUNTED, cursor });
  return `${rest.cursor === null ? '' : 'more than '}${items.length + rest.items.length}`;
}

async function listOf(kind: (typeof LISTED_KINDS)[number], handle: Handle, input: CommandInput): Promise<Listed> {
  const limit = numberOption(input, 'limit') ?? 20;
  if (kind === 'events') {
    const filter = { session: textOption(input, 'session') };
    const page = await handle.events.list({ ...filter, limit });
    const total = await totalOf(page, (rest) => handle.events.list({ ...filter, ...rest }));
    const rows = page.items.map(({ id, occurredAt, origin, content }): Row => {
      return [id, occurredAt.toISOString().slice(0, 16), origin, singleLine(content, 110)];
    });
    return { answer: page, head: ['id', 'time', 'origin', 'content'], rows, total };
  }
  if (kind === 'entities') {
    const items = await handle.entities.list({ limit });
    const all = items.length < limit ? items : await handle.entities.list({ limit: MOST_ENTITIES });
    const rows = items.map(({ id, type, name }): Row => [id, type, name]);
    return { answer: { items }, head: ['id', 'type', 'name'], rows, total: `${all.length}` };
  }
  if (kind === 'facts') {
    const items = await handle.facts.list();
    const rows = items.map(({ category, key, value }): Row => [category ?? '', key, singleLine(value ?? '', 120)]);
    return { answer: { items }, head: ['category', 'key', 'value'], rows, total: `${rows.length}` };
  }
  const filter: MemoryFilter = {
    types: kind === 'notes' ? ['note'] : kind === 'saved-items' ? ['saved_item'] : listOption(input, 'type'),
    tags: listOption(input, 'tag'),
    subjects: listOption(input, 'subject'),
    attributes: listOption(input, 'attribute'),
    archived: input.options['archived'] === true ? 'only' : undefined,
    reach: input.options['all'] === true ? 'within' : undefined,
  };
  const page = await handle.memories.list({ ...filter, limit });
  const total = await totalOf(page, (rest) => handle.memories.list({ ...filter, ...rest }));
  const rows = page.items.map(({ id, type, attribute, importance, content, archiveReason }): Row => {
    const text = archiveReason === 'forgotten' ? '(forgotten)' : singleLine(content, 120);
    return [id, type, attribute ?? '', importance.toFixed(2), text];
  });
  return { answer: page, head: ['id', 'type', 'attribute', 'importance', 'content'], rows, total };
}

export const show: Command = {
  usage: `show <id> | show <key of a fact> | show <${Object.keys(BLOCK_KINDS).join(' | ')}>`,
  help: 'Shows a memory, an event or an entity by its id, a permanent fact by its key, or a block by its kind; as of a time with --as-of.',
  options: { 'as-of': valued('time', 'the record as it was at this time, such as 2026-11-01') },
  examples: [
    'varve show mem_01k…',
    'varve show home_city',
    'varve show profile',
    'varve show working_memory --as-of 2026-11-01',
  ],
  async run(input) {
    const id = oneWord(input, 'id, key or kind of block');
    const time = textOption(input, 'as-of');
    return withHandle(input, {}, async (handle) => {
      const from = time === undefined ? handle : handle.asOf(time);
      const record = Object.hasOwn(BLOCK_KINDS, id)
        ? await from.blocks.read(id as BlockKindName)
        : id.startsWith('evt_')
          ? await from.events.get(id)
          : id.startsWith('ent_')
            ? await handle.entities.get(id)
            : id.startsWith('mem_')
              ? await from.memories.get(id)
              : await factOf(from, id);
      if (record === null) return nothingUnder(id, input);
      return input.output.answer(record, () => JSON.stringify(record, null, 2));
    });
  },
};

export const history: Command = {
  usage: 'history <id of a memory> | history <key of a fact> | history <kind of block>',
  help: 'Shows all changes of a memory, of the values under a key, or of a block, oldest first: when, by whom, why, and the content before.',
  examples: ['varve history mem_01k…', 'varve history home_city', 'varve history profile --json'],
  async run(input) {
    const id = oneWord(input, 'id, key or kind of block');
    return withHandle(input, {}, async (handle) => {
      const items = Object.hasOwn(BLOCK_KINDS, id)
        ? await handle.blocks.history(id as BlockKindName)
        : id.startsWith('mem_')
          ? await handle.memories.history(id)
          : await factHistory(handle, id);
      const rows = items.map(({ version, at, actor, reason, before }) => {
        const was = before === null ? '' : `was: ${singleLine(String(before['content'] ?? ''), 60)}`;
        return [`v${version}`, at.toISOString().slice(0, 19), actor, reason, was];
      });
      await input.output.rows({ items }, rows);
      return items.length > 0 ? EXIT.ok : nothingUnder(id, input);
    });
  },
};

async function factOf({ facts }: { facts: FactReader }, key: string): Promise<Fact | { items: Fact[] } | null> {
  const fact = await facts.get(key);
  if (fact === null) return null;
  const items = (await facts.list()).filter((other) => other.key === fact.key);
  return items.length === 1 ? fact : { items };
}

/** The changes of all current and earlier values of a key, except forgotten ones. */
async function factHistory({ facts, memories }: Handle, key: string): Promise<Revision[]> {
  const attributes = [(await facts.get(key))?.key ?? key];
  const { items } = await memories.list({ attributes, subjects: [USER], archived: 'include', limit: 1000 });
  const kept = items.filter(({ archiveReason }) => archiveReason !== 'forgotten');
  const changes = await Promise.all(kept.map(({ id }) => memories.history(id)));
  // A replacement ends the old value and creates the new one at the same time. The end is sorted first.
  return changes.flat().sort((one, other) => one.at.getTime() - other.at.getTime() || other.version - one.version);
}

function nothingUnder(id: string, { output }: CommandInput): number {
  output.note(`There is no ${id} within this scope.`);
  return EXIT.nothing;
}

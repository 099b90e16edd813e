// node train/sheets/score.ts [--requests] [--detail FILE] FILE…: reads talk sheets with the whole product, without a model, and compares the
// memory with the labels.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVarve, manualClock, type Memory } from '../../src/index.ts';
import { endedBy, type Piece, piecesOf, readSheet, type Sheet } from './read-sheets.ts';

const args = process.argv.slice(2);
const detailFile = args.includes('--detail') ? args[args.indexOf('--detail') + 1] : undefined;
const files = args.filter((arg) => arg.endsWith('.txt'));
const sums = new Map<string, [part: number, whole: number]>();
const add = (name: string, isPart: boolean, group: string): void => {
  for (const key of [name, `${group} ${name}`]) {
    const sum = sums.get(key) ?? [0, 0];
    sums.set(key, [sum[0] + Number(isPart), sum[1] + 1]);
  }
};
const detail: unknown[] = [];

type Varve = Awaited<ReturnType<typeof createVarve>>;
type Handle = ReturnType<Varve['for']>;

/** The handle of the visit that a message belongs to. A pause of an hour begins a new one. */
const visitOf = (sheet: Sheet, number: number): string => {
  let visit = 1;
  for (let index = 1; index < number; index += 1) {
    const [before, after] = [sheet.messages[index - 1], sheet.messages[index]];
    if (before && after && after.at.getTime() - before.at.getTime() > 3_600_000) visit += 1;
  }
  return `s${visit}`;
};

/** Everything that memory says live, from all pages of its list. */
async function liveOf(handle: Handle): Promise<Memory[]> {
  const live: Memory[] = [];
  let cursor: string | undefined;
  do {
    const page = await handle.memories.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    live.push(...page.items);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return live.filter(({ type, quotes }) => type !== 'summary' && type !== 'reflection' && quotes.length > 0);
}

const isUser = (about: string | null): boolean => about === null || /^user$/i.test(about);

async function score(path: string): Promise<void> {
  const sheet = readSheet(readFileSync(path, 'utf8'));
  const group = sheet.language === 'en' ? 'en' : 'others';
  const folder = mkdtempSync(join(tmpdir(), 'sheet-'));
  const clock = manualClock(sheet.messages[0]?.at.getTime() ?? 0);
  const open = (store: string): Promise<Varve> => createVarve({ store, background: false, clock });
  const varve = await open(join(folder, 'a.db'));
  const user = sheet.id;
  const messageOf = new Map<string, number>();
  for (const [index, { at, asked, text }] of sheet.messages.entries()) {
    if (at.getTime() > clock.now()) clock.set(at.getTime());
    const session = varve.for({ agent: 'a', user, session: visitOf(sheet, index + 1) });
    if (asked !== null) await session.observe([{ content: asked, origin: 'agent' }]);
    const {
      events: [event],
    } = await session.observe([{ content: text, origin: 'user' }]);
    messageOf.set(event!.id, index + 1);
    await varve.drain();
  }
  const handle = varve.for({ agent: 'a', user });
  const live = await liveOf(handle);
  const archived = (await handle.memories.list({ limit: 100, archived: 'only' })).items.filter(
    ({ archivedAt, quotes }) => archivedAt !== null && quotes.length > 0,
  );
  const pieces = piecesOf(sheet);
  const ended = new Set([...pieces.values()].flatMap(({ ends }) => ends));
  const covers = (memory: Memory, piece: Piece): number =>
    memory.quotes.reduce(
      (sum, { event, start, end }) =>
        messageOf.get(event) === piece.message
          ? sum + Math.max(0, Math.min(end, piece.end) - Math.max(start, piece.start))
          : sum,
      0,
    ) / Math.max(1, piece.end - piece.start);
  const says = (memory: Memory, piece: Piece): boolean => covers(memory, piece) >= 0.5;
  const gold = [...pieces.values()].filter(({ type }) => type !== null);
  const notes = {
    id: sheet.id,
    missed: [] as string[],
    junk: [] as string[],
    stale: [] as string[],
    lost: [] as string[],
    wrong: [] as string[],
    unfilled: [] as string[],
    tense: [] as string[],
    forgotten: [] as string[],
    requests: [] as string[],
  };
  const wordsOf = ({ name, message, start, end }: Piece): string =>
    `${name} ${sheet.messages[message - 1]?.text.slice(start, end)}`;
  for (const piece of gold) {
    const telling = live.filter((memory) => says(memory, piece));
    if (ended.has(piece.name)) {
      // A statement that also says something that holds is counted with that.
      const isStale = telling.some((memory) => !gold.some((other) => !ended.has(other.name) && says(memory, other)));
      add('stale', isStale, group);
      if (isStale) notes.stale.push(wordsOf(piece));
      continue;
    }
    add('kept', telling.length > 0, group);
    if (telling.length === 0) {
      const gone = archived.filter((memory) => says(memory, piece));
      add('lost by an end', gone.length > 0, group);
      (gone.length > 0 ? notes.lost : notes.missed).push(wordsOf(piece));
    }
    const main = telling.toSorted(
      (one, other) => one.quotes[0]!.end - one.quotes[0]!.start - (other.quotes[0]!.end - other.quotes[0]!.start),
    )[0];
    if (main !== undefined) {
      const tense = main.tense === piece.tense;
      add('tense', tense, group);
      if (!tense) notes.tense.push(`${piece.tense} ${main.tense} ${wordsOf(piece)}`);
      add('about', (main.subject === 'User') === isUser(piece.about), group);
    }
  }
  for (const memory of live) {
    const isJunk = !gold.some((piece) => covers(memory, piece) > 0.2);
    add('junk', isJunk, group);
    if (isJunk) notes.junk.push(memory.content);
  }
  const same = (one: string, other: string): boolean => {
    const [left, right] = [one.toLowerCase(), other.toLowerCase()];
    return left.includes(right) || right.includes(left);
  };
  const filled = live.filter(
    ({ subject, attribute, value }) => subject === 'User' && attribute !== null && value !== null,
  );
  const slots = gold
    .filter(({ name, denied }) => !ended.has(name) && !denied)
    .flatMap((piece) => piece.slots.map((slot) => ({ ...slot, piece })));
  const distinct = [...new Map(slots.map((each) => [`${each.slot} ${each.value}`, each])).values()];
  for (const { slot, value, piece } of distinct) {
    const isFound = filled.some((memory) => memory.attribute === slot && same(memory.value ?? '', value));
    add('slots found', isFound, group);
    if (!isFound) notes.unfilled.push(`${slot}=${value} | ${wordsOf(piece)}`);
  }
  const known = new Set(slots.map(({ slot }) => slot));
  for (const memory of filled.filter(
    ({ attribute, polarity }) => polarity === 'affirmed' && (known.has(attribute ?? '') || true),
  )) {
    const isRight = gold.some((piece) =>
      piece.slots.some(({ slot, value }) => slot === memory.attribute && same(value, memory.value ?? '')),
    );
    add('slots right', isRight, group);
    if (!isRight)
      notes.wrong.push(
        `${memory.attribute}=${memory.value} | ${memory.quotes[0] ? sheet.messages[(messageOf.get(memory.quotes[0].event) ?? 1) - 1]?.text.slice(memory.quotes[0].start, memory.quotes[0].end) : ''}`,
      );
  }
  for (const { text, pieces: names } of sheet.ask) {
    if (names.length === 0) continue;
    const { results } = await handle.recall(text, { limit: 10, track: false, abstain: false });
    const { abstained } = await handle.recall(text, { limit: 10, track: false });
    add('wrongly silent', abstained, group);
    const turns = results.map((result) =>
      result.kind === 'event'
        ? [messageOf.get(result.id)]
        : result.kind === 'memory'
          ? result.memory.sourceEvents.map((id) => messageOf.get(id))
          : [],
    );
    const wanted = [...new Set(names.map((name) => pieces.get(name)?.message))];
    for (const message of wanted) {
      add(
        'R@5',
        turns.slice(0, 5).some((each) => each.includes(message)),
        group,
      );
      add(
        'R@10',
        turns.some((each) => each.includes(message)),
        group,
      );
    }
    const older = endedBy(names, pieces).map((name) => pieces.get(name)?.message);
    const isNew = (each: (number | undefined)[]): boolean => wanted.some((message) => each.includes(message));
    const isOld = (each: (number | undefined)[]): boolean =>
      !isNew(each) && older.some((message) => each.includes(message));
    // A result that is not found ranks last.
    const [newest, outdated] = [isNew, isOld].map((isFound) => turns.findIndex(isFound) >>> 0) as [number, number];
    if (older.length > 0 && newest !== outdated) add('newer above older', newest < outdated, group);
  }
  for (const { text } of sheet.ask.filter((each) => each.pieces.length === 0))
    add('silent on unknown', (await handle.recall(text, { limit: 10, track: false })).abstained, group);
  /** The pieces whose words are out of sight. */
  const goneIn = async (own: Handle): Promise<Set<string>> => {
    const events = new Map(
      (await own.events.list({ limit: 200 })).items.map(({ id, content }) => [messageOf.get(id), content]),
    );
    return new Set(
      [...pieces.values()]
        .filter(
          ({ message, start, end }) =>
            !(events.get(message) ?? '').includes(sheet.messages[message - 1]!.text.slice(start, end)),
        )
        .map(({ name }) => name),
    );
  };
  const goneBefore = await goneIn(handle);
  const asksToForget = [...pieces.values()].some(({ requests }) => requests.includes('forget'));
  for (const piece of gold) {
    if (!asksToForget) add('forgotten by ordinary talk', goneBefore.has(piece.name), group);
    if (goneBefore.has(piece.name)) notes.forgotten.push(wordsOf(piece));
  }
  await varve.close();
  if (args.includes('--requests')) {
    for (const { text, names } of [
      ...sheet.forget.map((each) => ({ text: each.text, names: each.pieces })),
      ...sheet.not.map((each) => ({ text: each, names: [] as string[] })),
    ]) {
      const copy = join(folder, 'b.db');
      for (const end of ['', '-wal', '-shm'])
        try {
          cpSync(join(folder, `a.db${end}`), `${copy}${end}`);
        } catch {
          /* SQLite has merged the log. */
        }
      const again = await open(copy);
      const same = again.for({ agent: 'a', user, session: 'last' });
      await same.observe([{ content: text, origin: 'user' }]);
      await again.drain();
      const out = await goneIn(again.for({ agent: 'a', user }));
      const gone = [...pieces.values()].filter(({ name }) => out.has(name) && !goneBefore.has(name));
      const kind = names.length > 0 ? 'requests' : 'look-alikes';
      const isHeard = gone.length > 0;
      const missed = names.filter((name) => !out.has(name));
      // Pieces that say nothing of their own ("Thanks.") may go with their message.
      const more = gone.filter((piece) => !names.includes(piece.name) && piece.type !== null);
      if (kind === 'requests') {
        add('requests heard', isHeard, group);
        add('requests: all that is meant', missed.length === 0, group);
        add('requests: exactly', missed.length === 0 && more.length === 0, group);
      } else add('look-alikes obeyed', isHeard, group);
      if (kind === 'requests' ? missed.length > 0 || more.length > 0 : isHeard)
        notes.requests.push(`${text} | wanted ${names.join(' ')} | gone ${gone.map(({ name }) => name).join(' ')}`);
      await again.close();
      for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
    }
  }
  detail.push(notes);
  rmSync(folder, { recursive: true, force: true });
}

for (const path of files) {
  await score(path);
  process.stderr.write(`${path.split('/').at(-1)} `);
}
process.stderr.write('\n');
for (const [name, [part, whole]] of [...sums].toSorted(([one], [other]) => one.localeCompare(other)))
  console.log(`${name}: ${part}/${whole} = ${(part / whole).toFixed(3)}`);
if (detailFile !== undefined) writeFileSync(detailFile, JSON.stringify(detail, null, 1));

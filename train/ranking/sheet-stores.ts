import { USER } from '../../src/record/statement.ts';
import { endedBy, isPlain, type Piece, piecesOf, readSheets, type Sheet } from '../sheets/read-sheets.ts';
import { DAY, memoryDocument, type RankingQuestion, type RankingStore, turnDocument } from './stores.ts';

// A new user has few messages. Recall must answer from them, too.
const SIZES = [8, 15, Infinity];

/**
 * `statements`: the pieces that are worth keeping and still hold. `read`: the turns, and the statements that a reader without a language
 * model would form from them. It misses a fifth of the pieces, keeps two thirds of those that no longer hold, and keeps some small talk.
 */
const PARTS = ['turns', 'statements', 'both', 'read'] as const;
type Part = (typeof PARTS)[number];
const READ = { kept: 0.8, outdated: 0.65, smallTalk: 0.1 };

const HOUR = DAY / 24;

/**
 * Each talk sheet as stores of different sizes, with its questions and those of another sheet in the same language. `stores` has only the
 * complete ones. The sheets in test/sheets are held out.
 */
export function sheetStores(): { stores: RankingStore[]; more: RankingStore[] } {
  const sheets = readSheets().filter((sheet) => !isPlain(sheet));
  const stores: RankingStore[] = [];
  const more: RankingStore[] = [];
  for (const sheet of sheets) {
    const alike = sheets.filter(({ language }) => language === sheet.language);
    const stranger = alike[(alike.indexOf(sheet) + 5) % alike.length] as Sheet;
    for (const part of PARTS) {
      for (const size of SIZES) {
        const store = sheetStore(sheet, part, size);
        if (store.documents.length === 0) continue;
        if (size === Infinity) {
          stores.push({ ...store, questions: store.questions.filter(({ evidence }) => evidence.length > 0) });
        }
        more.push({ ...store, questions: [...store.questions, ...strangersOf(stranger, sheet, store)] });
      }
    }
  }
  return { stores, more };
}

function sheetStore(sheet: Sheet, part: Part, size: number): RankingStore {
  const messages = sheet.messages.slice(0, size);
  const pieces = piecesOf(sheet);
  const said = [...pieces.values()].filter(({ message }) => message <= messages.length);
  const ended = new Set(said.flatMap(({ ends }) => ends));
  const documents: RankingStore['documents'] = [];
  const turns = new Map<number, number>();
  const statements = new Map<string, number>();
  let visit = 0;
  for (const [index, { at, asked, text }] of messages.entries()) {
    const time = at.getTime();
    if (time - (messages[index - 1]?.at.getTime() ?? 0) > HOUR) visit += 1;
    const turn = { id: `m${index + 1}`, speaker: null, session: `s${visit}` };
    if (part !== 'statements') {
      if (asked !== null) {
        const reply = { ...turn, id: `a${index + 1}`, role: 'agent', text: asked, time: time - 1000 } as const;
        documents.push(turnDocument(reply, documents.length));
      }
      turns.set(index + 1, documents.length);
      documents.push(turnDocument({ ...turn, role: 'user', text, time }, documents.length));
    }
    for (const piece of part === 'turns' ? [] : said.filter(({ message }) => message === index + 1)) {
      if (!isStated(piece, { part, isEnded: ended.has(piece.name), sheet })) continue;
      statements.set(piece.name, documents.length);
      const [slot] = piece.denied ? [] : piece.slots;
      const memory = {
        id: piece.name,
        type: piece.type ?? 'fact',
        about: piece.about ?? USER,
        text: text.slice(piece.start, piece.end),
        slot: slot?.slot ?? null,
        stated: [turn.id],
        until: null,
      };
      documents.push(memoryDocument(memory, time, documents.length));
    }
  }
  const placesOf = (names: readonly string[]): number[][] => {
    const places = names.map((name) => [turns.get(pieces.get(name)?.message ?? 0), statements.get(name)]);
    return places.map((found) => found.filter((ordinal) => ordinal !== undefined)).filter(({ length }) => length > 0);
  };
  const asked = { known: documents.length, now: (messages.at(-1)?.at.getTime() ?? 0) + DAY };
  const questions = sheet.ask.flatMap(({ text, pieces: names }): RankingQuestion[] => {
    if (names.length === 0) return [{ text, kind: 'unknown', ...asked, evidence: [] }];
    const evidence = placesOf(names);
    const older = endedBy(names, pieces);
    if (evidence.length > 0) {
      const right = new Set(evidence.flat());
      const outdated = placesOf(older)
        .flat()
        .filter((ordinal) => !right.has(ordinal));
      return [{ text, kind: 'single', ...asked, evidence, outdated }];
    }
    // Before a change, the question had another answer. A statement that the reader missed leaves the question open.
    const isEarly = [...names, ...older].every((name) => (pieces.get(name)?.message ?? 0) > messages.length);
    return isEarly ? [{ text, kind: 'early', ...asked, evidence: [] }] : [];
  });
  const language = sheet.language === 'en' ? 'English' : 'other languages';
  const first = size === Infinity ? '' : `, first ${size} messages`;
  const set = `sheets, ${language}: ${part}${first}`;
  return { set, group: sheet.id, seenByEmbedder: false, documents, questions };
}

function isStated({ name, type }: Piece, of: { part: Part; isEnded: boolean; sheet: Sheet }): boolean {
  if (of.part !== 'read') return type !== null && !of.isEnded;
  const share = type === null ? READ.smallTalk : of.isEnded ? READ.outdated : READ.kept;
  return chanceOf(`${of.sheet.id} ${name}`) < share;
}

/** The same number from 0 to 1 for the same name. */
function chanceOf(name: string): number {
  let hash = 7;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 4294967296;
}

/** Questions about another person. A question for a slot that this person also stated is left out, because it may have an answer. */
function strangersOf(stranger: Sheet, sheet: Sheet, { documents }: RankingStore): RankingQuestion[] {
  const slotsOf = (pieces: Iterable<Piece | undefined>): string[] =>
    [...pieces].flatMap((piece) => piece?.slots.map(({ slot }) => slot) ?? []);
  const theirs = piecesOf(stranger);
  const own = new Set(slotsOf(piecesOf(sheet).values()));
  const now = Math.max(...documents.map(({ time }) => time)) + DAY;
  return stranger.ask
    .filter(({ pieces }) => pieces.length > 0)
    .filter(({ pieces }) => !slotsOf(pieces.map((name) => theirs.get(name))).some((slot) => own.has(slot)))
    .map(({ text }) => ({ text, kind: 'stranger', known: documents.length, now, evidence: [] }));
}

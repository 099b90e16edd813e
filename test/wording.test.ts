import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

// The texts of the code that people read: error messages, prompts, help texts, hover texts. They must be whole sentences in plain technical
// English.

/** A comment or a text of a source file. */
interface Piece {
  file: string;
  line: number;
  kind: 'comment' | 'text';
  /** Whether a text is the message of an error. */
  isMessage: boolean;
  text: string;
}

// Files with data: word lists, language packs, the texts of a demo.
const DATA = /\/packs\/[a-z]|kernel-binary|selector-weights|calibration-pairs|seed-words|demo-life|docs-page/;
const MESSAGE = /(?:(?:VarveError|UsageError|invalidInput|notFound|conflict)\(|DoorError\(\s*'[a-z_]+',)\s*$/;
const PIECES = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

function piecesOf(file: string): Piece[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(PIECES)].map(({ 0: found, index }) => {
    const before = source.slice(Math.max(0, index - 80), index);
    return {
      file,
      line: source.slice(0, index).split('\n').length,
      kind: found.startsWith('/') ? 'comment' : 'text',
      isMessage: MESSAGE.test(before),
      text: found.startsWith('/') ? found : found.slice(1, -1),
    };
  });
}

const pieces = globSync(['src/**/*.ts', 'web/src/**/*.{ts,tsx}'])
  .filter((file) => !file.endsWith('.test.ts') && !DATA.test(file))
  .flatMap(piecesOf);

/** A phrase to avoid, and the usual term. */
interface Banned {
  phrase: RegExp;
  instead: string;
  only?: Piece['kind'] | 'message';
}

// What only those who know the product's first requirements understand. It is in no text for users, and in no page of the docs.
const INTERNAL: readonly Banned[] = [
  { phrase: /\bsource designs?\b|\bthe seeds?['’] /i, instead: 'what the setting does' },
  { phrase: /\b(?:Qwestly|Kwasi|Toolstream|LogicSpike)\b/, instead: 'the name that says what the layout does' },
  {
    phrase: /\((?:F?[A-Z]\d{1,2})(?:(?:, | and |–|; )F?[A-Z]\d{1,2})*\)/,
    instead: 'nothing: ids of requirements live in tests',
  },
];

const BANNED: readonly Banned[] = [
  { phrase: /\bgives? back\b/i, instead: 'returns', only: 'comment' },
  { phrase: /\banew\b/i, instead: 'again, or from the beginning', only: 'comment' },
  {
    phrase: /\b(?:was|were|has|wrote|written|changed|moved) [a-z ]{0,20}\bin between\b/i,
    instead: 'meanwhile, or since',
  },
  { phrase: /\blets? go of\b/i, instead: 'closes, releases' },
  { phrase: /\bas good as none\b/i, instead: 'is read as absent' },
  { phrase: /\b(?:is|are|was|were|has|have) at hand\b/i, instead: 'is available' },
  { phrase: /\bof late\b/i, instead: 'recent' },
  { phrase: /\bwhoever\b(?! they claim)/i, instead: 'a noun: the caller, the client, the operator' },
  { phrase: /\bsays nothing (?:of|about)\b/i, instead: 'does not name, does not measure' },
  { phrase: /\bby and by\b|\bin vain of\b|\bhad better\b/i, instead: 'a plain verb' },
  {
    phrase: /\bof nothing there is\b|\bit comes to alone\b|\bfrom a crowd\b/i,
    instead: 'the mechanism, not an aphorism',
  },
  {
    phrase: /\b(?:utili[sz]e|leverage|seamless(?:ly)?|robust|simply|obviously|please|oops|sorry)\b/i,
    instead: 'nothing',
    only: 'message',
  },
  ...INTERNAL,
  { phrase: /\b(?:TODO|FIXME|XXX|HACK)\b/, instead: 'an issue' },
  { phrase: /\bdoes in use\b/i, instead: 'the quality of memory in use' },
  { phrase: /(?<!\bthere )\bis no (?:file|JSON|run)\b/i, instead: 'is not a file of …' },
];

// Phrases that occurred in the docs more than twice.
const BANNED_IN_DOCS: readonly Banned[] = [
  ...INTERNAL,
  { phrase: /\bbr(?:ings?|ought) (?:\w+ ){0,2}along\b/i, instead: 'quotes, pastes, installs' },
  { phrase: /\b(?:is|are|was|were) told (?:by|right|apart|from|whether)\b/i, instead: 'is recognised by, is detected' },
  { phrase: /\b(?:layers?|heads?|one|it|reader) tells?\b/i, instead: 'recognises, detects, decides' },
  { phrase: /\bof (?:these|those|which), \d[\d,]* (?:that|which)\b/i, instead: 'the number first: 12 of these' },
  { phrase: /\b(?:set|learned|embedded|written|made|prepares? (?:\w+ )?) ?anew\b/i, instead: 'again, or updated' },
  { phrase: /\btaught\b|\btelling words\b|\bsideways\b/i, instead: 'trained, content words, indirectly' },
  { phrase: /\bif you gave (?:one|a)\b/i, instead: 'if you configured one' },
  { phrase: /\bwhat is (?:known|told|learned|ours|theirs) \b(?!now)/i, instead: 'a noun: the memories, the statement' },
  { phrase: /\bstands? in (?:the|a|your|its) (?:turn|prompt|log|text)s?\b/i, instead: 'occurs in, is in' },
  { phrase: /\b(?:is|are) yours\b/i, instead: 'you provide, you are responsible for' },
];
// The former names of layouts are read as aliases, and the files of one of them can be imported.
const ALIASES = /assemble\/layouts\.ts$|import\/read-eden\.ts$|import\/read-import\.ts$|import\/import-formats\.ts$/;

/** The paragraphs of the docs without code, each on one line. The benchmarks page is generated from strings of the sources. */
const paragraphs = globSync(['*.md', 'bench/*.md', 'docs/**/*.md', 'train/**/*.md', 'clients/python/*.md'], {
  exclude: ['docs/benchmarks.md'],
}).flatMap((file) =>
  readFileSync(file, 'utf8')
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split(/\n\s*\n/)
    .map((text) => ({ file, text: text.replaceAll(/\s+/g, ' ') })),
);

describe('wording of the docs', () => {
  it('reads more than 500 paragraphs, so that the checks below are not empty', () => {
    expect(paragraphs.length).toBeGreaterThan(500);
  });

  it.each(BANNED_IN_DOCS)('has no $phrase', ({ phrase, instead }) => {
    const found = paragraphs
      .filter(({ text }) => phrase.test(text))
      .map(({ file, text }) => `${file}: …${phrase.exec(text)?.[0]}… in "${text.slice(0, 60)}" (write: ${instead})`);
    expect(found).toEqual([]);
  });

  it('has no line of text with more than 140 characters', () => {
    const long = [...new Set(paragraphs.map(({ file }) => file))].flatMap((file) =>
      readFileSync(file, 'utf8')
        .replaceAll(/^```[\s\S]*?^```/gm, '')
        .split('\n')
        .filter((line) => line.length > 140 && !/^(?:\||#|!\[| {4})/.test(line))
        .map((line) => `${file}: ${line.slice(0, 80)}… (${line.length} characters)`),
    );
    expect(long).toEqual([]);
  });
});

describe('wording', () => {
  it('reads thousands of comments and messages, so that the checks below are not empty', () => {
    expect(pieces.filter(({ kind }) => kind === 'comment').length).toBeGreaterThan(2000);
    expect(pieces.filter(({ isMessage }) => isMessage).length).toBeGreaterThan(150);
  });

  it.each(BANNED)('has no $phrase', ({ phrase, instead, only }) => {
    const found = pieces
      .filter(({ kind, isMessage }) => only === undefined || only === (isMessage ? 'message' : kind))
      .filter(({ file, text }) => !ALIASES.test(file) && phrase.test(text))
      .map(({ file, line, text }) => `${file}:${line}: ${phrase.exec(text)?.[0]} (write: ${instead})`);
    expect(found).toEqual([]);
  });

  it('messages of errors are whole sentences', () => {
    const broken = pieces
      // A message that continues in another string ends with a space.
      .filter(
        ({ isMessage, text }) =>
          isMessage && !/^(?:[A-Z`'"“$]|createVarve|varve |--)[\s\S]*(?:[.?!]|\}|…) ?$/.test(text),
      )
      .map(({ file, line, text }) => `${file}:${line}: ${text}`);
    expect(broken).toEqual([]);
  });
});

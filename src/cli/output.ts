import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

export interface Output {
  readonly json: boolean;
  answer(value: unknown, human: () => string | Promise<string>): Promise<void>;
  /** Prints a table, or `value` as JSON with `--json`. For an empty list, prints `none` as a note. */
  rows(value: unknown, rows: readonly (readonly string[])[], none?: string): Promise<void>;
  /** Prints a message to standard error. With `--json`, prints nothing. */
  note(text: string): void;
  complain(problem: object, text: string): void;
  style(style: Style, text: string): string;
  progress(title: string): Progress;
}

export interface Progress {
  /** `share` is the finished fraction, 0 to 1. */
  to(done: number, share?: number, note?: string): void;
  end(): void;
}

const BAR = 24;

// A carriage return overwrites the line, direction marks reorder it, and invisible characters hide text. Tabs and line breaks are harmless.
const CONTROL =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Control characters of an untrusted text could clear the screen or enter a command. They become symbols (␛), in JSON escapes. */
function printable(text: string, { json }: { json: boolean }): string {
  return text.replaceAll(CONTROL, json ? escapedUnits : symbolOf);
}

function escapedUnits(character: string): string {
  // JSON escapes each UTF-16 unit separately.
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function symbolOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '␡' : '\uFFFD';
}

export function createOutput({ json, raw = false }: { json: boolean; raw?: boolean }): Output {
  const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb';
  // Replaces the escape character of Varve's own colours until all others are removed. Random, so that no text can contain it.
  const escape = `<${Math.random()}>`;
  const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const safe = (raw && !stream.isTTY ? text : printable(text, { json })).replaceAll(escape, '\x1b');
      stream.write(safe.endsWith('\n') ? safe : `${safe}\n`, (error) => (error ? reject(error) : resolve()));
    });
  const answer: Output['answer'] = async (value, human) => {
    const text = json ? JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined) : await human();
    if (text !== '') await write(process.stdout, text);
  };
  const note: Output['note'] = (text) => {
    if (!json) void write(process.stderr, text);
  };
  return {
    json,
    answer,
    async rows(value, rows, none) {
      await answer(value, () => table(rows));
      if (rows.length === 0 && none !== undefined) note(none);
    },
    note,
    complain(error, text) {
      void write(process.stderr, json ? JSON.stringify({ error }) : text);
    },
    style(style, text) {
      if (!colours) return text;
      const [open, close] = styleText(style, '|', { validateStream: false }).replaceAll('\x1b', escape).split('|');
      return `${open}${text}${close}`;
    },
    progress(title) {
      const isShown = process.stderr.isTTY && !json;
      let shown = 0;
      return {
        to(done, share, note = '') {
          const now = performance.now();
          if (!isShown || now - shown < 80) return;
          shown = now;
          const bar =
            share === undefined ? '' : `${'█'.repeat(Math.round(Math.min(1, share) * BAR)).padEnd(BAR, '░')} `;
          process.stderr.write(`\r\x1b[K${title} ${bar}${done.toLocaleString('en')}${note === '' ? '' : `  ${note}`}`);
        },
        end() {
          if (isShown) process.stderr.write('\r\x1b[K');
        },
      };
    },
  };
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  const padded = (cell: string, column: number, row: readonly string[]): string =>
    column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}

export function countTable(counts: object): string {
  return table(Object.entries(counts).map(([name, count]) => [name, String(count)]));
}

import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan';

/** Where a command says things. */
export interface Output {
  readonly json: boolean;
  /** The answer: as JSON when that was asked for, else as the text that `human` makes. */
  answer(value: unknown, human: () => string | Promise<string>): Promise<void>;
  /** Something on the way, for people: to the standard error output, and not at all with `--json`. */
  note(text: string): void;
  /** Colours on a terminal, plain text elsewhere. */
  style(style: Style, text: string): string;
  /** How far long work is. Does nothing where there is no terminal. */
  progress(title: string): Progress;
}

export interface Progress {
  to(done: number, total?: number): void;
  end(): void;
}

const BAR = 24;

/** The output of this process. */
export function createOutput({ json }: { json: boolean }): Output {
  const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb';
  const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
    new Promise((resolve, reject) =>
      stream.write(text.endsWith('\n') ? text : `${text}\n`, (error) => (error ? reject(error) : resolve())),
    );
  return {
    json,
    async answer(value, human) {
      const text = json ? JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined) : await human();
      if (text !== '') await write(process.stdout, text);
    },
    note(text) {
      if (!json) process.stderr.write(`${text}\n`);
    },
    style: (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text),
    progress(title) {
      const isShown = process.stderr.isTTY && !json;
      let shown = 0;
      return {
        to(done, total) {
          const now = performance.now();
          if (!isShown || now - shown < 80) return;
          shown = now;
          const share = total ? Math.min(1, done / total) : 0;
          const bar = total ? `${'█'.repeat(Math.round(share * BAR)).padEnd(BAR, '░')} ` : '';
          process.stderr.write(
            `\r\x1b[K${title} ${bar}${done.toLocaleString('en')}${total ? ` / ${total.toLocaleString('en')}` : ''}`,
          );
        },
        end() {
          if (isShown) process.stderr.write('\r\x1b[K');
        },
      };
    },
  };
}

/** Rows in columns as wide as their widest cell; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd();
  return rows.map(line).join('\n');
}

/** A text on one line, cut to a length. */
export function oneLine(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A fixture that runs in a process of its own. */
export interface Child {
  process: ChildProcess;
  /** The lines that it has printed so far. */
  lines: string[];
  /** Resolves when a line is printed that fits. */
  printed(fits: (line: string) => boolean): Promise<void>;
  ended: Promise<number | null>;
}

/** Starts `test/fixtures/<name>.ts`. What it prints to stderr goes to ours. */
export function startChild(name: string, ...parameters: string[]): Child {
  const file = fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [file, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    // The last part is no line yet: a process that is killed may have printed half of one.
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const wake of waiting) wake();
  });
  return {
    process: child,
    lines,
    printed: (fits) =>
      new Promise((resolve, reject) => {
        const wake = (): void => {
          if (!lines.some(fits)) return;
          waiting.delete(wake);
          resolve();
        };
        child.once('exit', (code) => (lines.some(fits) ? resolve() : reject(new Error(`${name} ended with ${code}`))));
        waiting.add(wake);
        wake();
      }),
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
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

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
const bundles = new Map<string, string>();

/**
 * From now on `startChild` starts a fixture as one file. Loading hundreds of modules takes more than half of the processor time of a
 * short process, so this is for tests that start dozens of them. A fixture must not look for files beside its sources.
 */
export async function bundleChild(name: string): Promise<void> {
  if (bundles.has(name)) return;
  // Packages that are not in the bundle are found from within node_modules.
  const dir = fileURLToPath(new URL(`../node_modules/.cache/varve-children/${process.pid}-${name}`, import.meta.url));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: fixture(name),
    platform: 'node',
    external: /^(node:|pg$|ai$|@opentelemetry\/api$)/,
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'warn',
  });
  await bundle.write({ dir, format: 'esm', entryFileNames: `${name}.js` });
  await bundle.close();
  bundles.set(name, join(dir, `${name}.js`));
}

/** Starts `test/fixtures/<name>.ts`. What it prints to stderr goes to ours. */
export function startChild(name: string, ...parameters: string[]): Child {
  return startFile(bundles.get(name) ?? fixture(name), parameters);
}

/** The same from the sources: a bundle has no local model, without which no request to forget is recognised. */
export function startChildFromSource(name: string, ...parameters: string[]): Child {
  return startFile(fixture(name), parameters);
}

function startFile(file: string, parameters: readonly string[]): Child {
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
        child.once('exit', (code) => (lines.some(fits) ? resolve() : reject(new Error(`${file} ended with ${code}`))));
        waiting.add(wake);
        wake();
      }),
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}

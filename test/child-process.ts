import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A fixture in a separate process. */
export interface Child {
  process: ChildProcess;
  /** The lines that the fixture has printed so far. */
  lines: string[];
  /** Resolves when the fixture prints a matching line. */
  printed(fits: (line: string) => boolean): Promise<void>;
  ended: Promise<number | null>;
}

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
const bundles = new Map<string, string>();

/**
 * From now on `startChild` starts a fixture as one bundled file. Loading hundreds of modules takes more than half of the processor time of
 * a short process, so this is for tests that start dozens of them. A bundled fixture must not look for files beside its sources.
 */
export async function bundleChild(name: string): Promise<void> {
  if (bundles.has(name)) return;
  // Packages that are not in the bundle are resolved from node_modules.
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

/** Starts `test/fixtures/<name>.ts`. Its stderr is forwarded. */
export function startChild(name: string, ...parameters: string[]): Child {
  return startFile(bundles.get(name) ?? fixture(name), parameters);
}

/** Starts a fixture from the sources, because a bundle has no local model, which recognises requests to forget. */
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
    // The last part is not a complete line: a killed process may have printed half of one.
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

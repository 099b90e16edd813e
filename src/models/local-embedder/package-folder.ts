import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { unavailable } from './weights.ts';

const NAME = 'varve';

/**
 * The folder of this package, which has the weights and the file of the embedding thread. If a bundler has included this code in the
 * application, it is the folder of the installed package. Throws `embedder_unavailable`, with the setting for the bundler, when there is
 * none.
 */
export function packageFolder(): string {
  // A CommonJS bundle has no `import.meta.url`.
  const own: string | undefined = import.meta.dirname;
  const found = (own === undefined ? null : folderAbove(own)) ?? installedFolder();
  if (found !== null) return found;
  throw unavailable(
    `this code runs from a bundle${own === undefined ? '' : ` in ${own}`}, and the package ${NAME} is not installed where it runs. ` +
      `Keep ${NAME} out of the bundle (esbuild: --external:${NAME}; Next.js: serverExternalPackages: ['${NAME}'])`,
  );
}

/** The nearest folder above that is this package, for `src/`, `dist/` and the bundled command line alike. */
function folderAbove(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isPackage(folder)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function isPackage(folder: string): boolean {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return false;
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }).name === NAME;
  } catch {
    return false;
  }
}

/** The folder of the package that `import('varve')` in the running program would load. */
function installedFolder(): string | null {
  for (const from of [process.argv[1], join(process.cwd(), 'program.js')]) {
    if (from === undefined) continue;
    try {
      return dirname(createRequire(from).resolve(`${NAME}/package.json`));
    } catch {
      // Not installed there.
    }
  }
  return null;
}

// Builds the inspector (web/) into dist/web. With `--if-needed`, builds only if the inspector is missing or older than its sources, and a
// missing Vite (after `npm install --omit=dev`) is reported but not an error, because the server works without the inspector.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist/web/index.html');
const isIfNeeded = process.argv.includes('--if-needed');

function newestSource(): number {
  const files = readdirSync(join(root, 'web'), { recursive: true, withFileTypes: true });
  return Math.max(
    ...files.filter((file) => file.isFile()).map((file) => statSync(join(file.parentPath, file.name)).mtimeMs),
  );
}

const isUpToDate = existsSync(built) && (!existsSync(join(root, 'web')) || statSync(built).mtimeMs >= newestSource());
if (!isIfNeeded || !isUpToDate) {
  const vite = await import('vite').catch((error: unknown) => {
    if (!isIfNeeded) throw error;
    console.error('The inspector is not built, because Vite is not installed. The server works without it.');
    return null;
  });
  if (vite !== null) {
    await vite.build({ configFile: join(root, 'web/vite.config.ts'), logLevel: 'error' });
    mkdirSync(join(root, 'dist'), { recursive: true });
    copyFileSync(join(root, 'examples/demo-life.json'), join(root, 'dist/demo-life.json'));
  }
}

// Runs after tsc: makes a few files of the hundreds that a command loads, and chunks of what is loaded on demand. Most of
// the time of a short command goes into finding, linking and compiling modules. The library itself stays unbundled, so that
// applications share its dependencies.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const dist = join(import.meta.dirname, '../dist');
const file = (name) => join(dist, name);
// These are the application's to install, or loaded as they are.
const EXTERNAL = /^(pg|ai|@opentelemetry\/api)$/;

const bundle = await rolldown({
  // The thread that embeds is started by its file.
  input: { main: file('cli/main.js'), 'embed-worker': file('models/local-embedder/embed-worker.js') },
  platform: 'node',
  external: (id) => EXTERNAL.test(id),
  // The UMD file of jsonc-parser, its `main`, requires its parts at run time, which a bundle does not contain.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [namedBuiltins()],
  logLevel: 'warn',
});

/** Takes of Node's modules what is named. An import reads all that a module exports, which loads much that nobody uses. */
function namedBuiltins() {
  const IMPORT = /^import\s*(?:([\w$]+)|\{([^}]*)\})\s*from\s*("node:[^"]+");?$/gm;
  return {
    name: 'named-builtins',
    renderChunk: (code) =>
      code.replace(IMPORT, (_line, whole, names, module) => {
        const taken = whole ?? `{${names.replaceAll(/\bas\b/g, ':')}}`;
        return `const ${taken} = globalThis.process.getBuiltinModule(${module});`;
      }),
  };
}

/** Which modules belong together: those that one of these needs, whatever else needs them too. The first that fits. */
const TOGETHER = [
  { debugName: 'embedder', roots: [file('models/local-embedder/embed-worker.js')] },
  {
    debugName: 'command',
    roots: ['cli/command', 'cli/output', 'cli/open-memory', 'varve-options'].map((name) => file(`${name}.js`)),
  },
  { debugName: 'memory', roots: [file('varve.js')] },
];
const needed = new Map();
const groups = TOGETHER.map(({ debugName, roots }, index) => ({
  debugName,
  priority: TOGETHER.length - index,
  name(id, modules) {
    if (!needed.has(debugName)) needed.set(debugName, closure(roots, modules));
    return needed.get(debugName).has(id) && !modules.getModuleInfo(id).isEntry ? debugName : null;
  },
}));

/** Everything that modules import, and what that imports, without what is loaded on demand. */
function closure(roots, modules) {
  const found = new Set();
  const visit = (id) => {
    if (found.has(id)) return;
    found.add(id);
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) visit(next);
  };
  for (const root of roots) visit(root);
  return found;
}

// One folder deep, as the sources are: relative addresses stay right.
await bundle.write({
  dir: join(dist, 'cli'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups },
  // Names stay, for what a person may have to report.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

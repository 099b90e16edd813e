// Runs after tsc and bundles the hundreds of files of the command line into a few, with chunks for modules that are loaded on demand,
// because a short command spends most of its time on finding, linking and compiling modules. The library itself is not bundled, so that
// applications share its dependencies.
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const dist = join(import.meta.dirname, '../dist');
const file = (name) => join(dist, name);
// The application installs these packages, or they are loaded unbundled.
const EXTERNAL = /^(pg|ai|@opentelemetry\/api)$/;

const bundle = await rolldown({
  // The embedding thread is started from its own file.
  input: { main: file('cli/main.js'), 'embed-worker': file('models/local-embedder/embed-worker.js') },
  platform: 'node',
  external: (id) => EXTERNAL.test(id),
  // The UMD file of jsonc-parser, its `main`, requires its parts at run time, which a bundle does not contain.
  resolve: { mainFields: ['module', 'main'] },
  plugins: [namedBuiltins()],
  logLevel: 'warn',
});

/** Imports only the used names of Node's modules. A plain import evaluates all getters of a module, which loads unused parts of Node. */
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

/** The chunks: a module belongs to the first chunk whose entry needs it. */
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

/** The transitive static imports of modules, without dynamic imports. */
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

// The output is one folder deep, like the sources, so that relative paths stay valid.
await bundle.write({
  dir: join(dist, 'cli'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups },
  // Names are kept, so that stack traces stay readable.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

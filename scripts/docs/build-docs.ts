// Builds the docs site into dist/docs, which the server serves at /docs: the pages of docs/, the reference of every entry point of
// package.json, the settings with their defaults, and the HTTP reference. TypeDoc needs no network.
// `--strict`: a broken link, or a type that the public API uses and does not export, is an error.
// `--if-needed`: builds only if there is no site yet. A failure is then reported but not fatal, because the server works without its docs.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  Application,
  type Context,
  Converter,
  type DeclarationReflection,
  DefaultTheme,
  DocumentReflection,
  IndexedAccessType,
  KindRouter,
  LiteralType,
  LogLevel,
  type NavigationElement,
  OptionDefaults,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  TypeOperatorType,
  UnionType,
} from 'typedoc';
import { writeHttpReference } from './http-reference.ts';
import { settingsPage } from './settings-page.ts';

const root = join(import.meta.dirname, '../..');
const out = join(root, 'dist/docs');
const isIfNeeded = process.argv.includes('--if-needed');
const isStrict = process.argv.includes('--strict');

interface Chapter {
  title: string;
  pages: { title: string; file: string }[];
}

/** Reads the table of contents from `docs/index.md`, which has chapters as headings and pages as list items. */
function tableOfContents(): Chapter[] {
  const text = readFileSync(join(root, 'docs/index.md'), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((chapter) => ({
      title: chapter.split('\n', 1)[0] ?? '',
      pages: [...chapter.matchAll(/^- \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(([, title = '', file = '']) => ({
        title,
        file: join(root, 'docs', file),
      })),
    }));
}

const contents = tableOfContents();
const titles = new Map(contents.flatMap(({ pages }) => pages.map(({ title, file }) => [file, title] as const)));
const fileOf = new WeakMap<Reflection, string>();

/** Pages keep the names of their files, so that an address does not change with a title. */
class Router extends KindRouter {
  protected override getIdealBaseName(reflection: Reflection): string {
    const file = fileOf.get(reflection);
    return file === undefined
      ? super.getIdealBaseName(reflection)
      : relative(join(root, 'docs'), file).replace(/\.md$/, '');
  }
}

/** The navigation has the chapters of the table of contents, then the reference. */
class Theme extends DefaultTheme {
  override buildNavigation(project: ProjectReflection): NavigationElement[] {
    const pathOf = (reflection: Reflection): string => this.router.getFullUrl(reflection);
    const documents = project.documents ?? [];
    const chapters = contents.map(({ title, pages }) => ({
      text: title,
      children: pages.flatMap(({ title: text, file }) =>
        documents.filter((page) => fileOf.get(page) === file).map((page) => ({ text, path: pathOf(page) })),
      ),
    }));
    const generated = documents.filter((page) => !titles.has(fileOf.get(page) ?? ''));
    const reference = super.buildNavigation(project).filter(({ path }) => path?.startsWith('modules/'));
    return [
      ...chapters,
      {
        text: 'Reference',
        children: [
          ...generated.map((page) => ({ text: page.name, path: pathOf(page) })),
          { text: 'HTTP operations', path: 'http-reference.html' },
          ...reference,
        ],
      },
    ];
  }
}

/** The entry points of the package, as sources. */
function entryPoints(): { name: string; source: string }[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            name: join('varve', path),
            source: join(root, target.types.replace('./dist', 'src').replace('.d.ts', '.ts')),
          },
        ],
  );
}

async function build(): Promise<void> {
  const entries = entryPoints();
  const app = await Application.bootstrap({
    name: 'Varve',
    logLevel: LogLevel.Warn,
    entryPoints: entries.map(({ source }) => source),
    tsconfig: join(root, 'tsconfig.build.json'),
    readme: join(root, 'docs/index.md'),
    projectDocuments: [...titles.keys()],
    customCss: join(import.meta.dirname, 'style.css'),
    favicon: join(root, 'web/public/icon.svg'),
    // tsc has checked the types; TypeScript 6 only reads them.
    skipErrorChecking: true,
    disableSources: true,
    // Members that are inherited from a class of a framework are documented by the framework.
    excludeExternals: true,
    excludePrivate: true,
    excludeInternal: true,
    searchInDocuments: true,
    highlightLanguages: [...OptionDefaults.highlightLanguages, 'python'],
    hideGenerator: true,
    sort: ['kind', 'alphabetical-ignoring-documents'],
    // Functions come before the types of their arguments.
    groupOrder: ['Functions', 'Classes', 'Variables', 'Namespaces', '*'],
    navigation: { includeGroups: true },
    // Types behind options and handles that an application does not name.
    intentionallyNotExported: ['LedgerOptions', 'FormerLayoutName', 'Tenant', 'Writer', 'Count'],
    validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: false },
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, spellOutUnions);
  app.renderer.defineRouter('varve', Router);
  app.renderer.defineTheme('varve', Theme);
  app.options.setValue('router', 'varve');
  app.options.setValue('theme', 'varve');
  const project = await app.convert();
  if (project === undefined) throw new Error('TypeDoc could not read the sources.');
  const modules = new Map(entries.map(({ name, source }) => [source, name]));
  for (const module of project.children ?? []) nameModule(project, module, modules);
  for (const page of project.documents ?? []) {
    const file = project.files.getReflectionPath(page) ?? '';
    fileOf.set(page, file);
    page.name = titles.get(file) ?? page.name;
  }
  addSettings(project);
  app.validate(project);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await app.generateDocs(project, out);
  if (app.logger.hasErrors() || (isStrict && app.logger.hasWarnings()))
    throw new Error('TypeDoc has reported errors or warnings: see the lines above.');
  finishPages();
  writeHttpReference(out);
}

function nameModule(project: ProjectReflection, module: DeclarationReflection, modules: Map<string, string>): void {
  module.name = modules.get(project.files.getReflectionPath(module) ?? '') ?? module.name;
}

/** Shows a union that is derived from a list or a table, `(typeof KINDS)[number]` or `keyof typeof TABLE`, by its members. */
function spellOutUnions(context: Context): void {
  const checker = context.programs[0]?.getTypeChecker();
  for (const reflection of context.project.getReflectionsByKind(ReflectionKind.TypeAlias) as DeclarationReflection[]) {
    const symbol = context.getSymbolFromReflection(reflection);
    const isDerived = reflection.type instanceof IndexedAccessType || reflection.type instanceof TypeOperatorType;
    if (symbol === undefined || !isDerived) continue;
    const type = checker?.getDeclaredTypeOfSymbol(symbol);
    const members = type?.isUnion() === true ? type.types : [];
    if (members.length === 0 || !members.every((member) => member.isStringLiteral())) continue;
    reflection.type = new UnionType(members.map((member) => new LiteralType(member.value)));
  }
}

function addSettings(project: ProjectReflection): void {
  const page = new DocumentReflection('Settings', project, [{ kind: 'text', text: settingsPage(project) }], {});
  fileOf.set(page, join(root, 'docs/settings.md'));
  project.registerReflection(page, undefined, undefined);
  project.addChild(page);
}

/**
 * Moves TypeDoc's inline script into a file, because the Content-Security-Policy of the server allows no inline script, and labels the cells
 * of tables.
 */
function finishPages(): void {
  const inline = /<script>(document\.documentElement\.dataset\.theme[^<]*)<\/script>/;
  for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.html')) continue;
    const file = join(entry.parentPath, entry.name);
    const page = readFileSync(file, 'utf8');
    const script = inline.exec(page)?.[1];
    const assets = /src="([./]*assets\/)main\.js"/.exec(page)?.[1];
    if (script === undefined || assets === undefined)
      throw new Error(`${entry.name} has another opening script than expected.`);
    writeFileSync(join(out, 'assets/theme.js'), script);
    writeFileSync(file, labelCells(page.replace(inline, `<script src="${assets}theme.js"></script>`)));
  }
}

/**
 * Gives each cell of a table, except those of the first column, the heading of its column as `data-label`. On a phone the style sheet shows
 * the cells below each other, and a cell such as "yes" means nothing without the heading.
 */
function labelCells(page: string): string {
  return page.replaceAll(/<table>[^]*?<\/table>/g, (table) => {
    const headings = [...table.matchAll(/<th\b[^>]*>([^]*?)<\/th>/g)].map(([, html = '']) => textOf(html));
    return table.replaceAll(/<tr\b[^>]*>[^]*?<\/tr>/g, (row) => {
      let column = 0;
      return row.replaceAll('<td', (cell) => {
        const heading = column === 0 ? '' : (headings[column] ?? '');
        column += 1;
        return heading === '' ? cell : `${cell} data-label="${heading}"`;
      });
    });
  });
}

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('"', '&quot;')
    .trim();

if (isIfNeeded && existsSync(join(out, 'index.html'))) process.exit(0);
if (isIfNeeded) console.error('Building the docs, once: about ten seconds.');
await build().catch((error: unknown) => {
  if (!isIfNeeded) throw error;
  console.error(`The docs are not built: ${(error as Error).message}. The server works without them.`);
});

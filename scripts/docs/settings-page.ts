import { type DeclarationReflection, type ProjectReflection, ReferenceType, ReflectionKind } from 'typedoc';
import { consolidationSettings } from '../../src/consolidate/consolidation-settings.ts';
import { formationSettings } from '../../src/form/formation-settings.ts';

interface Part {
  title: string;
  intro: string;
  type: string;
  /** The defaults of the schema. Without them, the default of a setting is read from its comment. */
  defaults?: object;
}

const PARTS: readonly Part[] = [
  { title: 'createVarve(options)', intro: 'The options of `createVarve()`.', type: 'VarveOptions' },
  {
    title: 'formation',
    intro: 'How memories are formed: `createVarve({ formation })`. Times are milliseconds.',
    type: 'FormationSettings',
    defaults: formationSettings(),
  },
  {
    title: 'consolidation',
    intro: 'How documents are written and memory is kept in order: `createVarve({ consolidation })`.',
    type: 'ConsolidationSettings',
    defaults: consolidationSettings(),
  },
  {
    title: 'context',
    intro: 'How prompts are assembled: `createVarve({ context })` for all of them, `handle.context(options)` for one.',
    type: 'AssembleOptions',
  },
  { title: 'history', intro: 'How past turns are chosen: `context({ history })`.', type: 'HistoryOptions' },
  { title: 'recall(query, options)', intro: 'The options of one search.', type: 'RecallOptions' },
  { title: 'Local embedder', intro: 'The options of `createLocalEmbedder()`.', type: 'LocalEmbedderOptions' },
  { title: 'Language models', intro: 'The options of `createLanguageModel()`.', type: 'LanguageModelOptions' },
];

/** A page of tables, from the comments of the types and the defaults of the schemas. */
export function settingsPage(project: ProjectReflection): string {
  const sections = PARTS.map(({ title, intro, type, defaults }) => {
    const rows = rowsOf(interfaceOf(project, type), defaults as Record<string, unknown> | undefined, '');
    return `## ${title}\n\n${intro}\n\n| setting | default | meaning |\n| --- | --- | --- |\n${rows.join('\n')}`;
  });
  return `# Settings\n\nEvery setting has a default. The tables are made from the types and schemas of this version.\n\n${sections.join('\n\n')}\n`;
}

function interfaceOf(project: ProjectReflection, name: string): DeclarationReflection {
  const found = project.getReflectionsByKind(ReflectionKind.Interface).find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no interface ${name} in the reference.`);
  return found as DeclarationReflection;
}

function rowsOf(type: DeclarationReflection, defaults: Record<string, unknown> | undefined, prefix: string): string[] {
  return (type.children ?? []).flatMap((property) => {
    const name = `${prefix}${property.name}`;
    const value = defaults?.[property.name];
    const nested = property.type instanceof ReferenceType ? property.type.reflection : undefined;
    const words = commentOf(property);
    if (isPlainObject(value)) {
      if (nested !== undefined) return rowsOf(nested as DeclarationReflection, value, `${name}.`);
      const entries = Object.entries(value);
      if (entries.length > 0) return entries.map(([key, one]) => row(`${name}.${key}`, shown(one), words));
    }
    if (defaults !== undefined) return [row(name, shown(value), words)];
    const { text, byDefault } = splitDefault(words);
    return [row(name, byDefault, text)];
  });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return typeof value === 'number' && value >= 10_000
    ? `\`${value.toLocaleString('en')}\``
    : `\`${JSON.stringify(value)}\``;
}

function commentOf(property: DeclarationReflection): string {
  const comment =
    property.comment ??
    property.signatures?.[0]?.comment ??
    property.type?.visit({ reflection: (one) => one.declaration.signatures?.[0]?.comment });
  return (comment?.summary ?? [])
    .map(({ text }) => text)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Takes the sentence that begins with "Default" out of a comment. */
function splitDefault(words: string): { text: string; byDefault: string } {
  const found = /\bDefault:? ((?:`[^`]*`|\d[\d.,]*\d|[^.])+)\./.exec(words);
  if (found === null) return { text: words, byDefault: '' };
  return { text: words.replace(found[0], '').replaceAll(/\s+/g, ' ').trim(), byDefault: found[1] ?? '' };
}

function row(name: string, byDefault: string, text: string): string {
  const cell = (words: string): string => words.replaceAll('|', '\\|');
  return `| \`${name}\` | ${cell(byDefault)} | ${cell(text)} |`;
}

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { invalidInput } from '../../errors.ts';
import type { ConfigEntry } from './clients.ts';

/** A file before and after. */
export interface ConfigEdit {
  file: string;
  /** Null when there is no such file yet. */
  before: string | null;
  after: string;
}

/** What has to be written so that the entries stand in their files, or stand there no longer. Nothing is written. */
export function planEdits(
  entries: readonly ConfigEntry[],
  { remove = false }: { remove?: boolean } = {},
): ConfigEdit[] {
  const files = [...Map.groupBy(entries, ({ file }) => file)];
  return files
    .map(([file, wanted]) => {
      const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
      const edit = (text: string, entry: ConfigEntry): string =>
        entry.format === 'toml' ? editToml(text, entry, remove) : editJson(text, entry, remove);
      return { file, before, after: wanted.reduce(edit, before ?? '') };
    })
    .filter(({ before, after }) => after !== (before ?? ''));
}

/** Writes an edit. The file as it was is kept beside it; its name is the answer. */
export function applyEdit({ file, before, after }: ConfigEdit): string | null {
  mkdirSync(dirname(file), { recursive: true });
  // A file that is a link, as dotfiles often are, stays one.
  const real = existsSync(file) ? realpathSync(file) : file;
  const backup = before === null ? null : freeName(`${real}.before-varve`);
  if (backup !== null) copyFileSync(real, backup);
  const part = `${real}.part`;
  writeFileSync(part, after, { mode: 0o600 });
  if (before !== null) chmodSync(part, statSync(real).mode);
  renameSync(part, real);
  return backup;
}

function freeName(name: string): string {
  let free = name;
  for (let number = 2; existsSync(free); number += 1) free = `${name}-${number}`;
  return free;
}

// As editors write their settings, comments and commas at the end included.
const JSONC = { allowTrailingComma: true, disallowComments: false };

/** Sets one value of a JSON file, and leaves comments, order, layout, other fields of the value and everything else as it is. */
function editJson(text: string, { file, path, value, inList }: ConfigEntry, remove: boolean): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const errors: ParseError[] = [];
  const tree = parseTree(source, errors, JSONC);
  if (errors.length > 0 || tree?.type !== 'object')
    throw invalidInput(`${file} is not JSON that can be changed safely. Mend it first, or add the entry by hand.`);
  const node = findNodeAtLocation(tree, [...path]);
  if (inList !== true) {
    if (remove) return node === undefined ? text : setJson(source, [...path], undefined);
    if (node?.type !== 'object') return setJson(source, path, value);
    const fields = Object.entries(value as Record<string, unknown>);
    return fields.reduce((edited, [field, item]) => setJson(edited, [...path, field], item), source);
  }
  const list = node?.type === 'array' ? (getNodeValue(node) as unknown[]) : [];
  const known = list.findIndex(isOurHook);
  if (remove) return known < 0 ? text : setJson(source, [...path, known], undefined);
  if (node?.type !== 'array') return setJson(source, path, [value]);
  return known < 0 ? insertJson(source, node, value) : setJson(source, [...path, known], value);
}

/** Sets the value at a path. What is there already is replaced in place; what is new comes first in what holds it. */
function setJson(source: string, path: JSONPath | readonly string[], value: unknown): string {
  const tree = parseTree(source, [], JSONC) as Node;
  const known = findNodeAtLocation(tree, [...path]);
  if (known !== undefined) {
    const isSame = JSON.stringify(getNodeValue(known)) === JSON.stringify(value);
    return isSame ? source : applyEdits(source, modify(source, [...path], value, {}));
  }
  const places = path.map((_, index) => findNodeAtLocation(tree, path.slice(0, index)));
  const depth = places.findLastIndex((node) => node?.type === 'object');
  const inner = path.slice(depth + 1).reduceRight<unknown>((held, key) => ({ [key]: held }), value);
  return insertJson(source, places[depth] ?? tree, inner, String(path[depth]));
}

/** Inserts a value as the first one of an object or a list. jsonc-parser would lay out the neighbours again. */
function insertJson(source: string, holder: Node, value: unknown, key?: string): string {
  const eol = source.includes('\r\n') ? '\r\n' : '\n';
  const unit = /^([ \t]+)\S/m.exec(source)?.[1] ?? '  ';
  const line = source.slice(source.lastIndexOf('\n', holder.offset) + 1, holder.offset);
  const outer = /^[ \t]*/.exec(line)?.[0] ?? '';
  const text = JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${outer}${unit}`);
  const named = key === undefined ? text : `${JSON.stringify(key)}: ${text}`;
  const rest = source.slice(holder.offset + 1);
  const isAlone = (holder.children ?? []).length === 0;
  const closing =
    isAlone && /^\s*[}\]]/.test(rest) ? `${eol}${outer}${rest.trimStart()}` : `${isAlone ? '' : ','}${rest}`;
  return `${source.slice(0, holder.offset + 1)}${eol}${outer}${unit}${named}${closing}`;
}

/** Whether an entry of a list of hooks runs Varve, from wherever it was installed. */
function isOurHook(entry: unknown): boolean {
  return /varve|[\\/]cli[\\/]main\.[jt]s/.test(JSON.stringify(entry)) && /\bhook\b/.test(JSON.stringify(entry));
}

/** Sets fields of one table of a TOML file. Its other fields, its comments and everything else stay as they are. */
function editToml(text: string, { path, value }: ConfigEntry, remove: boolean): string {
  const name = path.join('.');
  const lines = text.split('\n');
  const start = lines.findIndex((line) => tableOf(line) === name);
  const fields = Object.entries(value as Record<string, unknown>);
  const wanted = fields.map(([key, item]) => `${key} = ${tomlValue(item)}`);
  if (start < 0) {
    if (remove) return text;
    const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return `${text}${gap}[${name}]\n${wanted.join('\n')}\n`;
  }
  if (remove) {
    // `[mcp_servers.varve.env]` is a part of the table.
    const isOther = (table: string): boolean => table !== name && !table.startsWith(`${name}.`);
    return lines.toSpliced(start, endOfTable(lines, start, isOther) - start).join('\n');
  }
  const end = endOfTable(lines, start, () => true);
  const kept = withoutFields(lines.slice(start + 1, end), new Set(fields.map(([key]) => key)));
  return lines.toSpliced(start + 1, end - start - 1, ...wanted, ...kept).join('\n');
}

/** The name of the table that a line begins; undefined when it begins none. */
function tableOf(line: string): string | undefined {
  return /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]?.replaceAll(/[\s"']/g, '');
}

/** The line after a table's last one. Blank lines and comments before the next table belong to that table. */
function endOfTable(lines: readonly string[], start: number, isNext: (table: string) => boolean): number {
  const next = lines.findIndex(
    (line, index) => index > start && isNext(tableOf(line) ?? '') && tableOf(line) !== undefined,
  );
  let end = next < 0 ? lines.length : next;
  while (end > start + 1 && /^\s*(#.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
  return end;
}

/** The lines of a table without some of its fields, whose lists may go over several lines. */
function withoutFields(lines: readonly string[], fields: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  let isInList = false;
  for (const line of lines) {
    const key = isInList ? undefined : /^\s*["']?([\w-]+)["']?\s*=/.exec(line)?.[1];
    const isOurs = isInList || (key !== undefined && fields.has(key));
    if (!isOurs) kept.push(line);
    else isInList = isInList ? !line.includes(']') : /=\s*\[[^\]]*$/.test(line);
  }
  return kept;
}

// A basic string of TOML has the escapes of a JSON string.
function tomlValue(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]` : JSON.stringify(value);
}

/** The lines that an edit takes away and adds. */
export function editText({ before, after }: ConfigEdit): string {
  const [old, next] = [(before ?? '').split('\n'), after.split('\n')];
  let top = 0;
  while (top < old.length && top < next.length && old[top] === next[top]) top += 1;
  let bottom = 0;
  while (bottom < Math.min(old.length, next.length) - top && old.at(-1 - bottom) === next.at(-1 - bottom)) bottom += 1;
  const removed = old.slice(top, old.length - bottom).filter((line) => before !== null || line !== '');
  return [
    ...removed.map((line) => `- ${line}`),
    ...next.slice(top, next.length - bottom).map((line) => `+ ${line}`),
  ].join('\n');
}

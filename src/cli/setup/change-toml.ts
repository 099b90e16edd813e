import { isDeepStrictEqual } from 'node:util';
import { type AST, getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import type { Change, Settings } from './clients.ts';

// Codex reads only TOML 1.0.
const VERSION = { tomlVersion: '1.0' } as const;

export function readToml(source: string): Settings {
  return getStaticTOMLValue(parseTOML(source, VERSION));
}

type TomlNode = AST.TOMLTable | AST.TOMLKeyValue;
type Path = Change['path'];

function nodesOf(source: string): { path: Path; node: TomlNode }[] {
  const fields = (holder: Path, nodes: readonly AST.TOMLKeyValue[]): { path: Path; node: TomlNode }[] =>
    nodes.flatMap((node) => {
      const path = [...holder, ...node.key.keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value))];
      return [{ path, node }, ...(node.value.type === 'TOMLInlineTable' ? fields(path, node.value.body) : [])];
    });
  return parseTOML(source, VERSION).body[0].body.flatMap((node) =>
    node.type === 'TOMLTable'
      ? [{ path: node.resolvedKey, node }, ...fields(node.resolvedKey, node.body)]
      : fields([], [node]),
  );
}

function nodeAt(source: string, path: Path): TomlNode | undefined {
  return nodesOf(source).find((entry) => isDeepStrictEqual(entry.path, path))?.node;
}

export function changeToml(source: string, { path, set }: Change): string {
  if (set === undefined) return cutToml(source, path);
  const holder = path.slice(0, -1);
  if (nodeAt(source, path) !== undefined)
    return Object.entries(set)
      .toReversed()
      .reduce((after, [key, item]) => setField(after, path, key, item), source);
  if (nodeAt(source, holder)?.type === 'TOMLKeyValue') return setField(source, holder, String(path.at(-1)), set);
  const eol = eolOf(source);
  const gap = source === '' || /\n\r?\n$/.test(source) ? '' : source.endsWith('\n') ? eol : eol + eol;
  return source + gap + tomlTable(path, set).replaceAll('\n', eol);
}

function setField(source: string, path: Path, key: string, value: unknown): string {
  const known = nodeAt(source, [...path, key]);
  if (known?.type === 'TOMLKeyValue') {
    if (isDeepStrictEqual(getStaticTOMLValue(known.value), value)) return source;
    return source.slice(0, known.value.range[0]) + tomlValue(value) + source.slice(known.value.range[1]);
  }
  const field = `${key} = ${tomlValue(value)}`;
  const table = nodeAt(source, path);
  if (table?.type === 'TOMLKeyValue') {
    const at = table.value.range[0] + 1;
    const isEmpty = table.value.type === 'TOMLInlineTable' && table.value.body.length === 0;
    return `${source.slice(0, at)} ${field}${isEmpty ? ' ' : ','}${source.slice(at)}`;
  }
  const at = endOfLine(source, table?.key.range[1] ?? 0);
  return `${source.slice(0, at)}${source[at - 1] === '\n' ? '' : eolOf(source)}${field}${eolOf(source)}${source.slice(at)}`;
}

function cutToml(source: string, path: Path): string {
  const node = nodesOf(source).findLast((entry) => isDeepStrictEqual(entry.path.slice(0, path.length), path))?.node;
  if (node === undefined) return source;
  const [start, end] = node.range;
  if (node.parent.type !== 'TOMLInlineTable')
    return cutToml(source.slice(0, source.lastIndexOf('\n', start) + 1) + source.slice(endOfLine(source, end)), path);
  const [before, after] = [source.slice(0, start).trimEnd(), source.slice(end).trimStart()];
  const rest = after.startsWith(',') ? after.slice(1).trimStart() : after;
  const isLast = rest === after && before.endsWith(',');
  return cutToml(`${isLast ? before.slice(0, -1) : before} ${rest}`, path);
}

function endOfLine(source: string, offset: number): number {
  const end = source.indexOf('\n', offset);
  return end < 0 ? source.length : end + 1;
}

function eolOf(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n';
}

export function tomlTable(path: Path, fields: Settings): string {
  const lines = Object.entries(fields).map(([key, item]) => `${key} = ${tomlValue(item)}\n`);
  return `[${path.join('.')}]\n${lines.join('')}`;
}

// TOML basic strings use the escapes of JSON strings.
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key} = ${tomlValue(item)}`)
    .join(', ')} }`;
}

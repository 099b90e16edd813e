import { isDeepStrictEqual } from 'node:util';
import { createScanner, findNodeAtLocation, getNodeValue, parseTree } from 'jsonc-parser';
import type { JSONPath, Node, ParseError } from 'jsonc-parser';
import type { Change, Settings } from './clients.ts';

function parseJson(source: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(source.trim() === '' ? '{}' : source, errors, { allowTrailingComma: true });
  if (errors.length > 0 || tree?.type !== 'object') throw new Error('it is not a JSON object');
  return tree;
}

export function readJson(source: string): Settings {
  return getNodeValue(parseJson(source)) as Settings;
}

export function changeJson(text: string, { path, set, first }: Change): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const node = findNodeAtLocation(parseJson(source), path);
  if (first !== undefined)
    return node?.type === 'array' ? insertJson(source, node, first) : setJson(source, path, [first]);
  if (set === undefined) return node === undefined ? source : cutJson(source, node);
  if (node?.type !== 'object') return setJson(source, path, set);
  return Object.entries(set).reduce((after, [field, item]) => setJson(after, [...path, field], item), source);
}

function setJson(source: string, path: JSONPath, value: unknown): string {
  const tree = parseJson(source);
  const known = findNodeAtLocation(tree, path);
  if (known !== undefined) {
    if (isDeepStrictEqual(getNodeValue(known), value)) return source;
    return source.slice(0, known.offset) + JSON.stringify(value) + source.slice(known.offset + known.length);
  }
  const places = path.map((_, index) => findNodeAtLocation(tree, path.slice(0, index)));
  const depth = places.findLastIndex((node) => node?.type === 'object');
  const inner = path.slice(depth + 1).reduceRight<unknown>((held, key) => ({ [key]: held }), value);
  return insertJson(source, places[depth] ?? tree, inner, String(path[depth]));
}

/** Not with jsonc-parser, which would reformat the neighbours. */
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

/** Removes a value with its key and one comma. Not with jsonc-parser, which would remove the comments around it. */
function cutJson(source: string, value: Node): string {
  const node = value.parent?.type === 'property' ? value.parent : value;
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const end = node.offset + node.length;
  const comma =
    commaAfter(source, end) ?? (before === undefined ? undefined : commaAfter(source, before.offset + before.length));
  const rest =
    source.slice(end, comma !== undefined && comma >= end ? comma : end) +
    source.slice(Math.max(end, (comma ?? 0) + 1));
  const kept = source.slice(0, node.offset);
  const start = comma !== undefined && comma < end ? kept.slice(0, comma) + kept.slice(comma + 1) : kept;
  // Without the line break, a comment would include the next value.
  return (/[{[,]\s*$/.test(start) || /^[ \t]*\r?\n/.test(rest) ? start.trimEnd() : start) + rest;
}

function commaAfter(source: string, offset: number): number | undefined {
  const scanner = createScanner(source, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return source[at] === ',' ? at : undefined;
}

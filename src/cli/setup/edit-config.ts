import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { invalidInput, messageOf } from '../../errors.ts';
import { isObject } from '../../record/parse.ts';
import { changeJson, readJson } from './change-json.ts';
import { changeToml, readToml } from './change-toml.ts';
import type { Change, ConfigEntry, Settings } from './clients.ts';

export interface ConfigEdit {
  file: string;
  /** Null if there is no such file yet. */
  before: string | null;
  after: string;
}

export function planEdits(entries: readonly ConfigEntry[], { remove = false }: { remove?: boolean }): ConfigEdit[] {
  const files = [...Map.groupBy(entries, ({ file }) => file)];
  return files
    .map(([file, wanted]) => {
      const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
      return { file, before, after: wanted.reduce((text, entry) => editedText(text, entry, remove), before ?? '') };
    })
    .filter(({ before, after }) => after !== (before ?? ''));
}

/** Returns the name of the backup of an existing file. */
export function applyEdit({ file, before, after }: ConfigEdit): string | null {
  mkdirSync(dirname(file), { recursive: true });
  if (before === null) {
    writeFileSync(file, after, { mode: 0o600 });
    return null;
  }
  // Dotfiles are often symbolic links, and a link must stay one.
  const real = realpathSync(file);
  const backup = freeName(`${real}.before-varve`);
  copyFileSync(real, backup);
  const part = `${real}.varve-part`;
  writeFileSync(part, after, { mode: 0o600 });
  chmodSync(part, statSync(real).mode);
  renameSync(part, real);
  return backup;
}

function freeName(name: string): string {
  let free = name;
  for (let number = 2; existsSync(free); number += 1) free = `${name}-${number}`;
  return free;
}

const FORMATS = {
  json: { read: readJson, change: changeJson },
  toml: { read: readToml, change: changeToml },
};

/** Parses its result, and throws if anything besides the entry has changed, as with a duplicate field or a list in place of an object. */
function editedText(text: string, entry: ConfigEntry, remove: boolean): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const source = text.slice(mark.length);
  const { read, change } = FORMATS[entry.format];
  try {
    const before = read(source);
    const changes = changesOf(before, entry, remove);
    const after = changes.reduce(change, source);
    if (!areExpected(structuredClone(read(after)), changes.reduce(changeSettings, structuredClone(before)), entry.path))
      throw new Error('the entry cannot be changed without changing something else');
    return mark + after;
  } catch (error) {
    throw invalidInput(
      `${entry.file} cannot be changed safely: ${messageOf(error)}. Correct the file, or write the entry by hand: \`varve mcp --print-config\` prints it.`,
    );
  }
}

/** An empty table counts as absent, because a TOML table disappears with its last field. */
function areExpected(settings: Settings, wanted: Settings, [holder = '']: readonly string[]): boolean {
  const { [holder]: held, ...others } = wanted;
  const isEmpty = isObject(held) && Object.keys(held).length === 0;
  return isDeepStrictEqual(settings, wanted) || (isEmpty && isDeepStrictEqual(settings, others));
}

function changesOf(settings: Settings, { path, value, inList }: ConfigEntry, remove: boolean): Change[] {
  const known = path.reduce<unknown>((held, key) => (held as Settings | null | undefined)?.[key], settings);
  if (inList !== true) {
    if (!remove) return [{ path: [...path], set: value as Settings }];
    return known === undefined ? [] : [{ path: [...path] }];
  }
  const groups = (Array.isArray(known) ? known : []) as { hooks?: unknown[] }[];
  const ours = groups.flatMap(({ hooks }, group) =>
    (hooks ?? []).flatMap((hook, index) =>
      isOurHook(hook) ? { path: [...path, group, 'hooks', index], isAlone: hooks?.length === 1 } : [],
    ),
  );
  // From last to first, so that the offsets of the others stay valid.
  if (remove) return ours.toReversed().map((hook) => ({ path: hook.isAlone ? hook.path.slice(0, -2) : hook.path }));
  const [set] = (value as { hooks: Settings[] }).hooks;
  return ours.length === 0 ? [{ path: [...path], first: value }] : ours.map((hook) => ({ path: hook.path, set }));
}

function isOurHook(hook: unknown): boolean {
  return /(?:varve\S*|[\\/]cli[\\/]main\.[jt]s["']?) hook\b/.test(String((hook as Settings | null)?.['command']));
}

function changeSettings(settings: Settings, { path, set, first }: Change): Settings {
  const holder = path.slice(0, -1).reduce((held, key) => (held[key] ??= {}) as Settings, settings);
  if (typeof holder !== 'object') throw new Error(`${path.slice(0, -1).join('.')} is not an object`);
  const key = path.at(-1) ?? '';
  const known = holder[key];
  if (first !== undefined) holder[key] = [first, ...((known as unknown[] | undefined) ?? [])];
  else if (set !== undefined) holder[key] = isObject(known) ? { ...known, ...set } : set;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return settings;
}

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

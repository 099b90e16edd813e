import { invalidInput } from '../errors.ts';
import type { RecallOptions } from '../recall/recall-options.ts';
import type { PromptSection } from '../record/memory-types.ts';
import { markdownWriting, type Writing, xmlWriting } from '../language/inert-text.ts';
import { type Item, type Material, type OverflowRule, type SectionName, textWithSpeaker } from './section.ts';
import type { TokenCounter } from '../language/words.ts';

export interface SectionFormat {
  section: SectionName;
  /** Lines before and after the items. */
  before?: string;
  after?: string;
  /** Writes an item. Default: `- text`, with a mark for unverified text. */
  item?: (item: Item, writing: Writing) => string;
  /** Returns the heading for an item's group. With `apart`, a blank line separates groups. */
  group?: (item: Item, writing: Writing) => string;
  apart?: boolean;
  /** What separates items. Default: a new line. */
  between?: string;
  /** Texts directly before the first item and after the last item, on the same lines. */
  around?: readonly [string, string];
  /** What happens if the section exceeds its budget. Default: the section's own rule. */
  rule?: OverflowRule;
  /** The maximum length of an item's text, in characters, and the notice after a text that was cut. */
  cap?: { characters: number; notice: string };
}

/** Encloses sections between an opening and a closing line. */
export interface Frame {
  open: string;
  close: string;
  /** The indentation of each enclosed line. */
  indent?: string;
  sections: readonly SectionFormat[];
}

/** Token budgets for single sections and for the whole context. */
export interface Budget {
  /** The maximum number of tokens in the whole context. Default: 8,000. */
  total?: number;
  sections?: Partial<Record<SectionName | 'tools', number>>;
  /** Groups of sections that share a budget. They take tokens from it in this order. */
  shared?: readonly { sections: readonly SectionName[]; tokens: number }[];
  /** How many tokens must stay free. Default: 0. */
  reserve?: number;
  /** Tokens reserved for `recall`: a share of what the application's own text leaves over, with a maximum. Default: none. */
  evidence?: { share: number; most: number };
}

const DEFAULT_TOTAL = 8000;

export function totalOf({ total }: Budget): number {
  return total ?? DEFAULT_TOTAL;
}

/** How a layout recalls. Default of each option: that of `recall()`. */
export interface LayoutRecall extends RecallOptions {
  /** Recall leaves out memories whose type is shown in one of these sections. */
  withoutSections?: readonly PromptSection[];
  /** The order of the results: best first (default) or oldest first. In both, unverified results come last. */
  order?: 'relevance' | 'time';
}

/** Defines the form of a context: its sections, their order and their formats. */
export interface Layout {
  name: string;
  /** How stored text is escaped. */
  escape: 'markdown' | 'xml';
  /** The sections in the system prompt. Put sections that change slowly first, so that providers can cache the prompt. */
  system: readonly (SectionFormat | Frame)[];
  /** The sections of the user's turn. */
  user: readonly (SectionFormat | Frame)[];
  /** Whether past turns are shown as chat messages or as a section of the user's turn. */
  history: 'messages' | 'text';
  /** How to search for the records in the section `recall`. */
  recall?: LayoutRecall;
  budget?: Budget;
}

/** Declares an application's own layout. Throws `invalid_input` if it shows a section twice. */
export function defineLayout(layout: Layout): Layout {
  const names = allFormats(layout).map(({ section }) => section);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidInput(`The layout ${layout.name} shows the section ${twice} twice.`);
  return layout;
}

export function formatsOf(entry: SectionFormat | Frame): readonly SectionFormat[] {
  return 'sections' in entry ? entry.sections : [entry];
}

function allFormats({ system, user }: Layout): SectionFormat[] {
  return [...system, ...user].flatMap(formatsOf);
}

export function sectionsOf(layout: Layout): Set<SectionName> {
  const names = allFormats(layout).map(({ section }) => section);
  return new Set(layout.history === 'messages' ? [...names, 'history'] : names);
}

export function writingOf(layout: Layout): Writing {
  if (layout.escape === 'xml') return xmlWriting;
  const labels = allFormats(layout).map(({ before }) => before?.split('\n')[0] ?? '');
  return markdownWriting(labels.filter((label) => !label.startsWith('<')));
}

export function writeSection(format: SectionFormat, items: readonly Item[], writing: Writing): string {
  if (items.length === 0) return '';
  const write = format.item ?? bullet;
  const lines: string[] = [];
  let group: string | null = null;
  for (const item of items) {
    const next = format.group?.(item, writing) || null;
    if (next !== null && next !== group) lines.push(...(lines.length > 0 && format.apart ? ['', next] : [next]));
    group = next;
    lines.push(write(item, writing));
  }
  const [first, last] = format.around ?? ['', ''];
  const body = first + lines.join(format.between ?? '\n') + last;
  return [format.before, body, format.after].filter((part) => part !== undefined).join('\n');
}

export function writePlace(entries: readonly (SectionFormat | Frame)[], material: Material, writing: Writing): string {
  const texts = entries.map((entry) => {
    const inside = formatsOf(entry)
      .map((format) => writeSection(format, material[format.section] ?? [], writing))
      .filter((text) => text !== '');
    if (!('sections' in entry) || inside.length === 0) return inside.join('\n\n');
    const indented = inside.join('\n').replace(/^(?=.)/gm, entry.indent ?? '');
    return [entry.open, indented, entry.close].join('\n');
  });
  return texts.filter((text) => text !== '').join('\n\n');
}

const UNVERIFIED = ' (unverified)';

function bullet(item: Item, writing: Writing): string {
  return `- ${marked(item, writing.line(textWithSpeaker(item)))}`;
}

export function marked({ trust }: Item, text: string): string {
  return trust === 'low' ? text + UNVERIFIED : text;
}

/** A past turn as a chat message. */
export interface HistoryMessage {
  role: 'user' | 'assistant';
  content: string;
}

export interface WrittenContext {
  system: string;
  user: string;
  /** The user's turn without the message. */
  beforeMessage: string;
  messages: HistoryMessage[];
  tokens: { system: number; user: number; history: number; tools: number; total: number };
}

export function writeContext(
  { layout, counter, toolTokens }: { layout: Layout; counter: TokenCounter; toolTokens: number },
  material: Material,
  writing: Writing,
): WrittenContext {
  const system = writePlace(layout.system, material, writing);
  const user = writePlace(layout.user, material, writing);
  const beforeMessage = writePlace(layout.user, { ...material, message: [] }, writing);
  const messages =
    layout.history === 'text'
      ? []
      : fromFirstQuestion(material.history ?? []).map((turn): HistoryMessage =>
          turn.label === 'agent'
            ? { role: 'assistant', content: turn.text }
            : { role: 'user', content: textWithSpeaker(turn) },
        );
  const tokens = {
    system: counter.count(system),
    user: counter.count(user),
    history: messages.reduce((sum, { content }) => sum + counter.count(content), 0),
    tools: toolTokens,
  };
  const total = tokens.system + tokens.user + tokens.history + tokens.tools;
  return { system, user, beforeMessage, messages, tokens: { ...tokens, total } };
}

/** Providers require a conversation to begin with the user. */
function fromFirstQuestion(turns: readonly Item[]): readonly Item[] {
  const first = turns.findIndex(({ label }) => label !== 'agent');
  return first === -1 ? [] : turns.slice(first);
}

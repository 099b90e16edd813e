import { invalidInput } from '../errors.ts';
import type { ContextReport, SectionReport } from './context-report.ts';
import type { Writing } from '../language/inert-text.ts';
import { createSaid, cutDocument, cutText, fitSection, type FittedSection, type Said } from './fit-section.ts';
import {
  type Budget,
  formatsOf,
  type Frame,
  type Layout,
  type SectionFormat,
  totalOf,
  writeContext,
  writeSection,
  writingOf,
  type WrittenContext,
} from './layout.ts';
import { type Item, type Material, SECTION_NAMES, type SectionName, sectionOf } from './section.ts';
import type { TokenCounter } from '../language/words.ts';

export interface FittedContext extends Omit<WrittenContext, 'tokens'> {
  material: Material;
  sections: SectionReport[];
  tokens: ContextReport['tokens'];
}

export interface FitRequest {
  layout: Layout;
  material: Material;
  /** The turns that the application sends itself. Later sections do not repeat them. */
  given?: readonly Item[];
  budget: Budget;
  reserve?: number;
  /** The maximum number of items in the section `recall`. Default: as many as fit. */
  mostRecalled?: number;
  /** Whether to reserve the budget's tokens for evidence. Contexts without lookups do not need them. */
  holdsEvidence?: boolean;
  toolTokens: number;
  counter: TokenCounter;
}

// The application's own text gets its tokens before these sections and is never cut.
const TAKES_ROOM = SECTION_NAMES.filter((name) => sectionOf(name).overflow !== 'keep');

/** Each section omits statements that an earlier section already shows, but not those that did not fit there. */
export function fitContext(request: FitRequest): FittedContext {
  const fitter = createFitter(request);
  const taken = takeRoom(request, fitter);
  const context = fitTotal(request, fitter, taken.fitted);
  const material = materialOf(taken.fitted);
  const { budget, toolTokens } = request;
  const reserve = reserveOf(request);
  const tokens = {
    ...context.tokens,
    wanted: [...taken.wanted.values()].reduce((sum, count) => sum + count, toolTokens),
    limit: totalOf(budget),
    reserve,
    plannedReserve: budget.reserve ?? reserve,
  };
  return { ...context, material, sections: reportSections(request, fitter, taken), tokens };
}

interface Fitter {
  placed: ReadonlyMap<SectionName, Placed>;
  writing: Writing;
  measure(section: SectionName, items: readonly Item[]): number;
  fit(section: SectionName, items: readonly Item[], room: number, reason: string): FittedSection;
}

function createFitter({ layout, counter }: FitRequest): Fitter {
  const writing = writingEachLineOnce(writingOf(layout));
  const placed = formatsByPlace(layout);
  const measure = (section: SectionName, items: readonly Item[]): number => {
    const format = placed.get(section)?.format;
    if (format === undefined) return items.reduce((sum, { text }) => sum + counter.count(text), 0);
    return counter.count(writeSection(format, items, writing));
  };
  return {
    placed,
    writing,
    measure,
    fit(section, items, room, reason) {
      const rule = placed.get(section)?.format?.rule ?? sectionOf(section).overflow;
      return fitSection({ items, rule, budget: room, reason, measure: (some) => measure(section, some) });
    },
  };
}

/** Caches escaped lines. While items are fitted, they are written many times, and escaping is the most expensive part of writing. */
function writingEachLineOnce(writing: Writing): Writing {
  const written = new Map<string, string>();
  return {
    ...writing,
    line(text) {
      const known = written.get(text) ?? writing.line(text);
      written.set(text, known);
      return known;
    },
  };
}

interface SectionsFitted {
  fitted: Map<SectionName, FittedSection>;
  wanted: Map<SectionName, number>;
}

/** Each section gets at most its own budget, and at most what earlier sections left over. */
function takeRoom(request: FitRequest, fitter: Fitter): SectionsFitted {
  const fitted = new Map<SectionName, FittedSection>();
  const wanted = new Map<SectionName, number>();
  const said = createSaid();
  const shared = (request.budget.shared ?? []).map((each) => ({ ...each }));
  let left = limitOf(request) - request.toolTokens - frameTokens(request);
  const take = (section: SectionName, room: number): void => {
    const format = fitter.placed.get(section)?.format;
    const items = capped(format, request.material[section] ?? []);
    const want = fitter.measure(section, items);
    const { unsaid, repeated } = withoutSaid(said, section, items);
    const shown = section === 'recall' ? best(unsaid, request.mostRecalled ?? Infinity) : unsaid;
    const pool = shared.find(({ sections }) => sections.includes(section));
    const own = Math.min(roomOf(request, section, want), pool?.tokens ?? Infinity);
    const found = fitter.fit(section, shown, Math.min(own, room), own <= room ? OVER_OWN : OVER_TOTAL);
    const isCapped = items.some(({ text }) => format?.cap !== undefined && text.endsWith(`\n${format.cap.notice}`));
    const cut = found.cut || isCapped;
    fitted.set(section, { ...found, cut, dropped: [...repeated, ...found.dropped] });
    wanted.set(section, want);
    if (pool !== undefined) pool.tokens = Math.max(pool.tokens - found.tokens, 0);
    left -= found.tokens === 0 ? 0 : found.tokens + BETWEEN_SECTIONS;
    for (const item of found.items) said.add(section, item);
    if (section === 'history') for (const item of request.given ?? []) said.add(section, item);
  };
  const takeOwnText = (place: SectionReport['place']): void => {
    for (const [name, placed] of fitter.placed)
      if (placed.place === place && !TAKES_ROOM.includes(name)) take(name, Infinity);
  };
  takeOwnText('system');
  const beforeMessage = left;
  takeOwnText('user');
  const slack = slackOf(request, beforeMessage - left);
  let held = evidenceOf(request, left - slack);
  for (const section of TAKES_ROOM.filter((name) => fitter.placed.has(name))) {
    const isEvidence = section === 'recall' && held > 0;
    const kept = fitter.placed.get(section)?.place === 'system' ? held + slack : held;
    // Evidence also gets the tokens that the documents leave free, up to its maximum.
    const room = isEvidence ? Math.min(left, Math.max(held, request.budget.evidence?.most ?? 0)) : left - kept;
    take(section, Math.max(room, 0));
    if (isEvidence) held = 0;
  }
  return { fitted, wanted };
}

const OVER_OWN = 'over the budget of its section';
const OVER_TOTAL = 'over the total budget';
// The tokens of the blank line between two sections.
const BETWEEN_SECTIONS = 1;

/** The rest of the message's reservation. It comes in tenths of the budget, so that most messages get the same system prompt. */
function slackOf({ budget }: FitRequest, message: number): number {
  const tenth = Math.max(Math.floor(totalOf(budget) / 10), 1);
  return budget.evidence === undefined ? 0 : Math.ceil(message / tenth) * tenth - message;
}

/** If more tokens must stay free than planned, only the section `recall` gets fewer. */
function roomOf({ budget, reserve = 0 }: FitRequest, section: SectionName, wanted: number): number {
  const own = budget.sections?.[section] ?? Infinity;
  const excess = reserve - (budget.reserve ?? reserve);
  return section === 'recall' && excess > 0 ? Math.min(own, wanted - excess) : own;
}

function frameTokens({ layout, material, counter }: FitRequest): number {
  const frames = [...layout.system, ...layout.user].flatMap((entry) => ('sections' in entry ? [entry] : []));
  const isUsed = ({ sections }: Frame): boolean => sections.some(({ section }) => (material[section]?.length ?? 0) > 0);
  return frames.filter(isUsed).reduce((sum, { open, close }) => sum + counter.count(`${open}\n${close}\n\n`), 0);
}

/** The tokens that are reserved for lookups. They do not depend on the results, so that the system prompt stays the same. */
function evidenceOf({ budget, holdsEvidence }: FitRequest, left: number): number {
  const { share = 0, most = 0 } = budget.evidence ?? {};
  return holdsEvidence ? Math.max(Math.min(Math.floor(left * share), most), 0) : 0;
}

function withoutSaid(
  said: Said,
  section: SectionName,
  items: readonly Item[],
): { unsaid: Item[]; repeated: FittedSection['dropped'] } {
  const unsaid: Item[] = [];
  const repeated: FittedSection['dropped'] = [];
  for (const item of items) {
    const rest = said.rest(section, item);
    if (typeof rest === 'string') repeated.push({ id: item.id, reason: `already in the ${rest}` });
    else unsaid.push(rest);
  }
  return { unsaid, repeated };
}

function best(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  const kept = new Set(items.toSorted((one, other) => other.score - one.score).slice(0, most));
  return items.filter((item) => kept.has(item));
}

/** The sections were measured one by one, so together they may still exceed the limit. The last ones are then cut first. */
function fitTotal(
  request: FitRequest,
  { fit, writing }: Fitter,
  fitted: Map<SectionName, FittedSection>,
): WrittenContext {
  const limit = limitOf(request);
  let context = writeContext(request, materialOf(fitted), writing);
  for (const section of TAKES_ROOM.toReversed()) {
    for (let over = context.tokens.total - limit; over > 0; over = context.tokens.total - limit) {
      const before = fitted.get(section);
      if (before === undefined || before.items.length === 0) break;
      const less = fit(section, before.items, Math.max(before.tokens - over, 0), OVER_TOTAL);
      // A cut text with its notice can be as long as before. If it is, the whole text is removed.
      const next = less.tokens < before.tokens ? less : fit(section, before.items, -1, OVER_TOTAL);
      fitted.set(section, { ...next, dropped: [...before.dropped, ...next.dropped], cut: before.cut || next.cut });
      context = writeContext(request, materialOf(fitted), writing);
    }
  }
  if (context.tokens.total <= limit) return context;
  throw invalidInput(
    `The application's own text takes ${context.tokens.total} tokens; the budget leaves ${limit}. ` +
      'Raise the budget, or shorten the instructions, the tools or the message.',
    { tokens: context.tokens.total, limit },
  );
}

function limitOf(request: FitRequest): number {
  return Math.max(totalOf(request.budget) - reserveOf(request), 0);
}

function materialOf(fitted: ReadonlyMap<SectionName, FittedSection>): Material {
  return Object.fromEntries([...fitted].map(([section, { items }]) => [section, items]));
}

function reserveOf({ reserve, budget }: FitRequest): number {
  return reserve ?? budget.reserve ?? 0;
}

function reportSections(
  { budget }: FitRequest,
  { placed }: Fitter,
  { fitted, wanted }: SectionsFitted,
): SectionReport[] {
  const reports = [...placed].map(([section, { place }]): SectionReport => {
    const { items, tokens, dropped, cut } = fitted.get(section) as FittedSection;
    return {
      section,
      place,
      budget: budget.sections?.[section] ?? null,
      wanted: wanted.get(section) ?? 0,
      taken: items.length === 0 ? 0 : tokens,
      items: items.length,
      ids: [...new Set(items.flatMap(({ id, statements = [] }) => [...(id === null ? [] : [id]), ...statements]))],
      dropped,
      cut,
    };
  });
  return reports.filter(({ items, dropped }) => items > 0 || dropped.length > 0);
}

interface Placed {
  place: SectionReport['place'];
  format?: SectionFormat;
}

function formatsByPlace(layout: Layout): Map<SectionName, Placed> {
  const placed = new Map<SectionName, Placed>();
  for (const place of ['system', 'user'] as const) {
    for (const entry of layout[place]) {
      for (const format of formatsOf(entry)) placed.set(format.section, { place, format });
    }
  }
  if (layout.history === 'messages') placed.set('history', { place: 'history' });
  return placed;
}

function capped(format: SectionFormat | undefined, items: readonly Item[]): readonly Item[] {
  const cap = format?.cap;
  if (cap === undefined) return items;
  const { characters, notice } = cap;
  const fits = (text: string): boolean => text.length - notice.length <= characters;
  return items.map((item) => {
    const isLong = item.kind === 'block' && item.text.length > characters;
    const lines = isLong ? cutDocument(item, fits, notice) : null;
    return { ...item, text: lines ?? cutText(item.text, characters, notice) };
  });
}

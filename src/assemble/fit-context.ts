import { invalidInput } from '../errors.ts';
import type { TokenCounter } from '../language/token-count.ts';
import type { ContextReport, SectionReport } from './context-report.ts';
import type { Writing } from './escape.ts';
import { createRooms, cutText, fitSection, type FittedSection } from './fit-section.ts';
import {
  type Budget,
  formatsOf,
  type Layout,
  type OverflowRule,
  type SectionFormat,
  writeSection,
  writingOf,
} from './layout.ts';
import type { Item, Material, SectionName } from './section.ts';
import { writeContext, type WrittenContext } from './write-context.ts';

/** A context that fits, and what became of each section. */
export interface FittedContext extends Omit<WrittenContext, 'tokens'> {
  material: Material;
  sections: SectionReport[];
  tokens: ContextReport['tokens'];
}

export interface FitRequest {
  layout: Layout;
  material: Material;
  budget: Budget;
  /** What must stay free, when the caller says so. */
  reserve?: number;
  toolTokens: number;
  counter: TokenCounter;
}

/** What happens to a section that is over, unless its layout says otherwise. */
const RULES: Partial<Record<SectionName, OverflowRule>> = {
  instructions: 'keep',
  identity: 'keep',
  directives: 'keep',
  capabilities: 'keep',
  date: 'keep',
  message: 'keep',
  profile: 'cut',
  workingMemory: 'cut',
  agentReflections: 'cut',
  userReflections: 'cut',
  sessionReflections: 'cut',
  history: 'drop-oldest',
  earlier: 'drop-oldest',
};

/** Who makes room first when all is too much. What is not named never does. */
const GIVES_WAY: readonly SectionName[] = [
  'savedItems',
  'summaries',
  'notes',
  'recall',
  'services',
  'artifacts',
  'earlier',
  'history',
  'memories',
  'agentReflections',
  'sessionReflections',
  'userReflections',
  'learnedInfo',
  'scaffold',
  'structuredProfile',
  'workingMemory',
  'profile',
  'intentions',
  'learnings',
  'facts',
];

const DEFAULT_TOTAL = 8000;

/** Fits what was gathered into its budgets: each section into its own, then all into the total. */
export function fitContext(request: FitRequest): FittedContext {
  const fitter = createFitter(request);
  const { fitted, wanted } = fitEach(request, fitter);
  const context = fitTotal(request, fitter, fitted);
  const material = materialOf(fitted);
  const { budget, toolTokens } = request;
  const reserve = reserveOf(request);
  const tokens = {
    ...context.tokens,
    wanted: [...wanted.values()].reduce((sum, count) => sum + count, toolTokens),
    limit: budget.total ?? DEFAULT_TOTAL,
    reserve,
    plannedReserve: budget.reserve ?? reserve,
  };
  return { ...context, material, sections: reportSections(request, fitter, { fitted, wanted }), tokens };
}

/** Measures and fits the sections of one layout. */
interface Fitter {
  placed: ReadonlyMap<SectionName, Placed>;
  writing: Writing;
  measure(section: SectionName, items: readonly Item[]): number;
  fit(section: SectionName, items: readonly Item[], room: number, reason: string): FittedSection;
}

function createFitter({ layout, counter }: FitRequest): Fitter {
  const writing = writingOf(layout);
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
      const rule = placed.get(section)?.format?.rule ?? RULES[section] ?? 'drop-lowest';
      return fitSection({ items, rule, budget: room, reason, measure: (some) => measure(section, some) });
    },
  };
}

/** Each section in its own budget, in the order of the layout, so that shared ones are filled first come first served. */
function fitEach(request: FitRequest, { placed, measure, fit }: Fitter): SectionsFitted {
  const fitted = new Map<SectionName, FittedSection>();
  const wanted = new Map<SectionName, number>();
  const rooms = createRooms(request);
  for (const [section, { format }] of placed) {
    const items = capped(format, request.material[section] ?? []);
    const want = measure(section, items);
    wanted.set(section, want);
    const found = fit(section, items, rooms.of(section, want), 'over the budget of its section');
    fitted.set(section, { ...found, cut: found.cut || items.some((item) => isCapped(item, format)) });
    rooms.take(section, found.tokens);
  }
  return { fitted, wanted };
}

interface SectionsFitted {
  fitted: Map<SectionName, FittedSection>;
  wanted: Map<SectionName, number>;
}

/** All sections in the total: one after the other gives up what is too much, the least needed first. */
function fitTotal(
  request: FitRequest,
  { fit, writing }: Fitter,
  fitted: Map<SectionName, FittedSection>,
): WrittenContext {
  const limit = Math.max((request.budget.total ?? DEFAULT_TOTAL) - reserveOf(request), 0);
  let context = writeContext(request, materialOf(fitted), writing);
  for (const section of GIVES_WAY) {
    for (let over = context.tokens.total - limit; over > 0; over = context.tokens.total - limit) {
      const before = fitted.get(section);
      if (before === undefined || before.items.length === 0) break;
      const less = fit(section, before.items, Math.max(before.tokens - over, 0), 'over the total budget');
      // A text that is cut can come out as long as before: then it goes as a whole.
      const next = less.tokens < before.tokens ? less : fit(section, before.items, -1, 'over the total budget');
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
  const reports: SectionReport[] = [];
  for (const [section, { items, tokens, dropped, cut }] of fitted) {
    if (items.length === 0 && dropped.length === 0) continue;
    reports.push({
      section,
      place: placed.get(section)?.place ?? 'history',
      budget: budget.sections?.[section] ?? null,
      wanted: wanted.get(section) ?? 0,
      taken: items.length === 0 ? 0 : tokens,
      items: items.length,
      ids: [...new Set(items.flatMap(({ id }) => id ?? []))],
      dropped,
      cut,
    });
  }
  return reports;
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

function isCapped({ text }: Item, format: SectionFormat | undefined): boolean {
  return format?.cap !== undefined && text.endsWith(`\n${format.cap.notice}`);
}

function capped(format: SectionFormat | undefined, items: readonly Item[]): readonly Item[] {
  const cap = format?.cap;
  if (cap === undefined) return items;
  return items.map((item) => ({ ...item, text: cutText(item.text, cap.characters, cap.notice) }));
}

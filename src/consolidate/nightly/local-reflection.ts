import type { Distiller, ProposedMemory } from '../../models/distiller.ts';
import { DAY } from '../../record/clock.ts';
import { countWords } from '../../record/block.ts';
import type { Memory } from '../../record/memory.ts';
import { normaliseAttribute, slotOf } from '../../form/slot.ts';
import { PROFILE_SECTIONS, type ProfileSection } from '../prompts/profile-prompt.ts';
import { cutWords } from '../cut-words.ts';
import { writeSections } from './fit-profile.ts';
import type { Day } from './gather-day.ts';
import type { ParsedReflection } from './parse-reflection.ts';

const SECTION_OF_TYPE: Readonly<Record<string, ProfileSection>> = {
  personal: 'Personal',
  fact: 'Personal',
  entity: 'Personal',
  goal: 'Goals & Values',
  intention: 'Goals & Values',
  feedback: 'Communication Style',
  learning: 'Communication Style',
  pattern: 'Patterns & Rhythms',
  preference: 'Preferences',
  context: 'Notes',
  decision: 'Notes',
};

const MANNER =
  /\b(?:answers?|repl(?:y|ies)|tone|formal|informal|bullet|emoji|concise|brief|short|long|language|explain|explanations?|writing|style|words?)\b/i;

/** A reflection without a model: the profile is made of what is known, and the day is read by rules. */
export async function localReflection(
  local: Distiller,
  day: Day,
  {
    wordLimit,
    types,
    now,
    timeZone,
    signal,
  }: {
    wordLimit: number;
    types: readonly { name: string; description: string }[];
    now: number;
    timeZone: string;
    signal?: AbortSignal;
  },
): Promise<ParsedReflection> {
  const turns = day.messages
    .filter(({ origin }) => origin === 'user' || origin === 'agent')
    .map(({ kind, origin, speaker, content, category, occurredAt }) => ({
      kind,
      origin,
      speaker,
      content,
      category,
      occurredAt,
    }));
  const { output } = await local.extract(
    { turns, existing: [], types, today: new Date(now).toISOString().slice(0, 10), timeZone },
    { signal },
  );
  return {
    profile: localProfile(day.memories, wordLimit),
    facts: output.new.flatMap((memory) => [memory.keyed ?? [], memory.moreKeyed ?? []].flat()),
    intentions: output.new.filter(({ type }) => type === 'intention').map((memory) => intentionOf(memory, now)),
    learnings: output.new
      .filter((memory, index) => isRule(memory) && isLast(memory, output.new.slice(index + 1), day.memories))
      .map(({ content }) => ({ rule: content, category: 'communication' })),
    warnings: [],
  };
}

/** What was corrected or asked for in the agent's own manner is a rule for it. */
function isRule({ type, correction, content, explicit }: ProposedMemory): boolean {
  return (type === 'feedback' || (type === 'preference' && explicit)) && (correction === true || MANNER.test(content));
}

/** Nobody took it back: neither later the same day, nor in what is live of the same matter. */
function isLast(memory: ProposedMemory, later: readonly ProposedMemory[], live: readonly Memory[]): boolean {
  const attribute = normaliseAttribute(memory.attribute);
  if (attribute === null) return true;
  if (later.some((other) => normaliseAttribute(other.attribute) === attribute)) return false;
  const known = live.filter((other) => other.type === memory.type && slotOf(other).attribute === attribute);
  return known.length === 0 || known.some(({ content }) => content === memory.content);
}

function intentionOf({ content, dueAt }: ProposedMemory, now: number): ParsedReflection['intentions'][number] {
  const days = dueAt == null ? 3 : Math.max(0, Math.round((Date.parse(dueAt) - now) / DAY));
  return { text: content, followUpDays: days, context: null };
}

/** Six sections of the most important statements, each with its share of the words. */
function localProfile(memories: readonly Memory[], wordLimit: number): string {
  const room = Math.floor((wordLimit - 20) / PROFILE_SECTIONS.length);
  const sections = Object.fromEntries(PROFILE_SECTIONS.map((name) => [name, ''])) as Record<ProfileSection, string>;
  for (const { type, content, state } of memories) {
    const isManner = type === 'preference' && MANNER.test(content);
    const section = isManner ? 'Communication Style' : SECTION_OF_TYPE[type];
    if (section === undefined || state === 'achieved' || state === 'done' || state === 'dismissed') continue;
    const sentence = /[.!?]$/.test(content) ? content : `${content}.`;
    const text = `${sections[section]} ${cutWords(sentence.replace(/\s+/g, ' '), 40)}`.trim();
    if (countWords(text) <= room) sections[section] = text;
  }
  return Object.values(sections).every((body) => body === '') ? '' : writeSections(sections);
}

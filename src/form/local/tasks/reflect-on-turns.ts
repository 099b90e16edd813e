import type { ProposedMemory, ReflectInput, ReflectionLevel, Reflections } from '../../../models/distiller.ts';
import { contentStems, coveredBy } from '../../guards/text-overlap.ts';
import { isRevoked, normaliseAttribute, USER, type Slot } from '../../slot.ts';
import { proposeMemories } from './extract-memories.ts';
import { wordCount } from './merge-texts.ts';
import { sessionStatus } from './session-status.ts';

// What an agent writes, and so what a preference about its work speaks of.
const WORK =
  /\b(?:answers?|repl(?:y|ies)|responses?|e-?mails?|posts?|messages?|summar(?:y|ies)|explanations?|code|tone|language|format|drafts?|writing|style|bullets?|words|paragraphs?|updates?|reports?|reminders?|notifications?)\b/i;
const PROJECT =
  /\b(?:projects?|launch(?:es)?|campaigns?|releases?|roadmap|deadlines?|milestones?|templates?|versions?|features?|sprints?|products?|clients?|customers|website|app|blog|newsletter|business|company|shop|team|budget|strategy|option|plan)\b/i;
const KNOWN = 0.7;

/**
 * Reflections by extraction: how to work with the user, from what they ask of the agent's work, and the decisions and
 * plans of their projects; what this session is about and how far it is. Small talk gives none. Nothing is the agent's:
 * rules cannot tell what an agent's other users may know as well.
 */
export function reflectOnTurns(input: ReflectInput, timeZone: string): Reflections {
  const said = proposeMemories(input.turns, { timeZone }).filter(({ confidence }) => confidence !== 'low');
  const status = sessionStatus(input.turns, input.wordLimit);
  const reflections: Reflections = { agent: [], user: [], session: [] };
  const higher: string[] = [];
  const add = (level: ReflectionLevel, texts: readonly string[]): void => {
    const { merged, recent } = input.current[level];
    const known = [...(merged === null ? [] : [merged]), ...recent, ...higher];
    reflections[level] = texts.filter((text) => !isKnown(text, known));
    higher.push(...(merged === null ? [] : [merged]), ...recent, ...reflections[level]);
  };
  // Of what was moved or called off the last word holds.
  const plans = said
    .filter((plan, index) => isPlan(plan) && !said.slice(index + 1).some((later) => replaces(later, plan)))
    .map(({ content }) => content);
  add('agent', []);
  add('user', [
    ...fitting(guidance(said.filter(isAboutWork), input.wordLimit), { ...input, facts: [] }),
    ...fitting(plans, input),
  ]);
  add('session', status === null ? [] : [status]);
  return reflections;
}

/** Facts are found by recall: a reflection in the same words would only say them twice. */
function fitting(texts: readonly string[], { facts, wordLimit }: Pick<ReflectInput, 'facts' | 'wordLimit'>): string[] {
  const formed = new Set(facts.map((fact) => fact.toLowerCase()));
  return texts.filter((text) => wordCount(text) <= wordLimit && !formed.has(text.toLowerCase()));
}

function isPlan({ type, content }: ProposedMemory): boolean {
  return (
    (type === 'decision' || type === 'goal' || type === 'intention' || type === 'fact') &&
    PROJECT.test(content) &&
    (type !== 'fact' ||
      /^(?:User's (?:project|team|launch|release|campaign|deadline|business|company)|The )/.test(content))
  );
}

function replaces(later: ProposedMemory, plan: ProposedMemory): boolean {
  return plan.type === 'fact' && later.subject !== USER && later.subject === plan.subject;
}

function isAboutWork({ type, content, attribute }: ProposedMemory): boolean {
  if (type === 'feedback' || attribute === 'preferred_name') return true;
  if (type !== 'preference') return false;
  return (
    /\bthe agent\b|\bwants no\b/.test(content) ||
    (/^User (?:prefers|does not want|no longer wants|hates when)\b/.test(content) && WORK.test(content))
  );
}

/** As instructions, as many to one reflection as fit. */
function guidance(statements: readonly ProposedMemory[], wordLimit: number): string[] {
  const lead = `With ${USER}:`;
  const reflections: string[] = [];
  let items: string[] = [];
  const close = (): void => {
    if (items.length > 0) reflections.push(`${lead} ${items.join('; ')}.`);
    items = [];
  };
  // Of one topic the last wish holds.
  const latest = statements.filter(
    ({ attribute, polarity, type }, index) =>
      type === 'feedback' ||
      attribute == null ||
      !statements
        .slice(index + 1)
        .some(
          (other) => other.attribute === attribute || isRevoked(slotOfWish(other), slotOfWish({ attribute, polarity })),
        ),
  );
  for (const item of withoutRepeats(latest.map(({ content }) => asInstruction(content)))) {
    if (wordCount([lead, ...items, item].join(' ')) > wordLimit) close();
    if (wordCount(`${lead} ${item}`) <= wordLimit) items.push(item);
  }
  close();
  return reflections;
}

function slotOfWish({ attribute, polarity }: Pick<ProposedMemory, 'attribute' | 'polarity'>): Slot {
  return { subject: USER, attribute: normaliseAttribute(attribute), polarity: polarity ?? 'positive' };
}

const UNWANTED = /^(?:no |do not |never |they (?:do not|no longer) )/;

/** Of two instructions the one whose words the other has besides its own says nothing new. */
function withoutRepeats(items: readonly string[]): string[] {
  const all = [...new Set(items)].map((item) => ({ item, stems: contentStems(item) }));
  return all
    .filter(
      ({ item, stems }, index) =>
        !all.some(
          (other, at) =>
            at !== index &&
            UNWANTED.test(other.item) === UNWANTED.test(item) &&
            coveredBy(stems, other.stems) === 1 &&
            (other.stems.size > stems.size || (other.stems.size === stems.size && at < index)),
        ),
    )
    .map(({ item }) => item);
}

/** A wish as one would tell it to an agent: "User wants the agent to answer in Dutch." → "answer in Dutch". */
export function asInstruction(content: string): string {
  return content
    .replace(/\.$/, '')
    .replace(/^User wants the agent to /, '')
    .replace(/^User does not want the agent to /, 'do not ')
    .replace(/^User wants the agent's (.+?) kept /, 'keep $1 ')
    .replace(/^User is fine with the agent using (.+) again$/, 'using $1 is fine')
    .replace(/^User wants to be called /, 'call them ')
    .replace(/^User wants /, '')
    .replace(/^User (prefers|does not want|no longer wants|hates|found|asked) /, 'they $1 ')
    .replace(/^they no longer wants/, 'they no longer want')
    .replace(/^they does not want/, 'they do not want')
    .replace(/^they prefers/, 'they prefer')
    .replace(/^they hates/, 'they hate');
}

function isKnown(text: string, known: readonly string[]): boolean {
  const stems = contentStems(text);
  return stems.size === 0 || known.some((other) => coveredBy(stems, contentStems(other)) >= KNOWN);
}

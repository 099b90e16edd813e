import type { Memory } from '../record/memory.ts';
import { isGivenUp } from './goal-share.ts';
import { contentStems } from './guards/text-overlap.ts';
import { withoutReason } from './local/clauses/part-reason.ts';
import { readPlain } from './local/clauses/read-plain.ts';
import type { Proposal } from './proposal.ts';

const OFF =
  /^(?:The |User's |(?!User\b))(.{2,60}?) (?:is|are|was|were|got|has been) (?:now |all )?(?:off|cancelled|canceled|called off|not happening)\b(.*)$/;
const CANCELLED =
  /^User (?:has |just |finally )*(?:cancelled|canceled) (?:the|their|all|an?) (.{3,60}?)(?: (?:on|in|because|for|today|yesterday)\b.*)?\.?$/;
const NOT_GOING =
  /^User (?:is|are) (?:not|no longer) (?:going to|flying to|travelling to|traveling to|moving to|coming to|driving to|visiting|attending|doing|taking|buying) (.{2,60}?)(?: (?:after all|any ?more)\b.*)?\.?$/;
const GIVEN_UP =
  /^User (?:no longer (?:wants|plans|intends|hopes|aims|aspires) to|(?:does not|do not) (?:want|plan|intend) to (?=.* any ?more)|(?:has |just |finally )*(?:gave|given) up(?: on)?|(?:has |just |finally )*(?:abandoned|dropped|scrapped|shelved|ditched)) (.{2,80}?)\.?$/;
// "Off this week" is on again in the next.
const ONCE = /\b(?:this (?:week|month|time|year)|today|tomorrow|tonight|on \d|in the week of)/;
const IS_OFF = /\b(?:cancelled|canceled|off|not going)\b/;
const TRAVEL = /^(?:trip|holiday|vacation|journey|flight|travel|getaway)$/;
const TRAVELS =
  /^User(?:'s (?:trip|holiday|vacation|flight))? (?:is (?:going|flying|travelling|traveling|driving|heading|visiting|staying|on holiday|on vacation|away)|plans to (?:visit|go|travel|fly)|will (?:visit|go|travel|fly)|wants to be reminded)/;

/** Which memories end because what they plan does not take place; null when the statement calls nothing off. */
export function cancellationOf({ content: said, slot }: Proposal): ((memory: Memory) => boolean) | null {
  const content = withoutReason(said);
  const [, off, rest = ''] = OFF.exec(content) ?? [];
  if (off !== undefined && slot.polarity === 'negative') return ONCE.test(rest) ? null : (memory) => plans(memory, off);
  const aim = GIVEN_UP.exec(content)?.[1];
  if (aim !== undefined && slot.polarity === 'negative')
    return ({ type, content: known }) => /^(?:goal|intention)$/.test(type) && isGivenUp(known, aim);
  const cancelled = CANCELLED.exec(content)?.[1] ?? NOT_GOING.exec(content)?.[1];
  return cancelled === undefined ? null : (memory) => plans(memory, cancelled);
}

/** Whether a memory says when, or that, something takes place. What is only said of it besides stays. */
function plans({ content, type, key }: Memory, what: string): boolean {
  const words = contentStems(what);
  if (type === 'preference' || key !== null || words.size === 0 || IS_OFF.test(content)) return false;
  const [noun = ''] = what.toLowerCase().split(/ (?:to|with|in|for|of) /);
  const thing = readPlain(content.replace(/^User's /, 'the '));
  const isOfUser = content.startsWith('User ');
  if (!isOfUser && thing !== null)
    return noun.split(' ').at(-1) === thing.head && covers(contentStems(thing.subject), words);
  if (isOfUser && covers(contentStems(content), words)) return true;
  // "The Japan trip": going to Japan.
  const trip = noun.split(' ').at(-1) ?? noun;
  const where = new Set([...words].filter((stem) => !contentStems(trip).has(stem)));
  return TRAVEL.test(trip) && TRAVELS.test(content) && covers(contentStems(content), where);
}

function covers(known: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  return [...words].every((stem) => known.has(stem));
}

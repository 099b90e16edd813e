import { MONTH } from '../../../language/calendar-pattern.ts';
import { isMedication } from '../../../language/health-words.ts';
import { contentStems } from '../../guards/text-overlap.ts';
import { DATE_VALUE } from '../clauses/read-plain.ts';
import { withoutLeadIn } from '../clauses/without-lead-in.ts';
import type { StatementDraft } from '../statement-draft.ts';
import type { ChangeSetting } from './change-rule.ts';

const NUMBER =
  '(?:\\d{1,3}(?:,\\d{3})+|\\d{1,5}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty)';
const SINCE =
  '(?: (?:now|left|again|instead|these days|at the moment|any ?more|this (?:term|year|month|week|season|semester)))';
const RECOUNTED = new RegExp(
  `^((?:(?:now|only|just|i'm|i am|we're|we are|down to|up to|back to|i|we|have|i've got|we've got|still|it's|there are|make that|teach|coach|run|manage|look after|see) )*)(${NUMBER}) ((?:\\p{Ll}+ )??\\p{Ll}{3,}s)(${SINCE}*)(?:, .*)?$`,
  'iu',
);
const OF_TIME = /^(?:minute|hour|day|week|month|year|second|time|euro|dollar|pound|percent|line|word|sentence|page)s$/i;
const PRESENT = /^User(?:'s .{1,60}?)? (?!was\b)(?:is|are|has|have|\p{Ll}+s)\b/u;

const SLIPPED =
  /^(?:(?:the|our|my) )?([\p{L}\p{N}' -]{2,50}?)(?: (?:dates?|times?|slot|day))?(?: (?:has|have|had|got|was|were|been|just|all))* (?:slipped|moved|changed|shifted|pushed|rescheduled|postponed|bumped|different)(?: (?:again|back|forward|out))?(?::|,|;| -| –| —) ?(?:(?:it's|they're|it is|they are|now|to|new dates?|is|are|from) )*((?:\d|\p{L}+ \d|next |early |late |mid).{1,40}?)(?: now| instead)*$/iu;
const DAY = `(?:\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}|${MONTH})(?: \\d{4})?`;
const KNOWN_DATE = new RegExp(`\\b(?:(?:from|on|in) )?${DAY}(?: (?:to|until|and|-|–) ${DAY})?`, 'i');
const RANGE = / (?:to|until|-|–) /;

const DOSE =
  /\b(?:to|now|at) (\d+(?:\.\d+)? ?(?:mg|mcg|µg|ml|g|units|iu)\b(?: (?:a|per|twice a|once a) (?:day|week))?)/i;
const DOSED =
  /\b(?:put|upped|raised|increased|bumped|lowered|reduced|cut|dropped|brought|moved|doubled|halved|changed|went|gone|taken|took|is|am|i'm|now)\b/i;

const SCRAPPED =
  /(?:^|[,;.] |\b(?:so|and|then|just|please|can|ok|okay) )(?:scrap|forget|drop|ignore|never ?mind|ditch|disregard) (?:the|my|that|this|about the|all the) ([\p{L}][\p{L}' -]{2,40}?) (?:thing|stuff|bit|part|phase|idea|plan|goal)s?\b/iu;

/**
 * "Only eight pupils this term", "the studio dates slipped: 16 to 23 March": a known statement with its new value.
 * "They put the ramipril up to 10mg": what is taken now. Null when nothing is known that it could change.
 */
export function rewrittenRule(text: string, setting: ChangeSetting): StatementDraft | null {
  const clean = withoutLeadIn(text.replace(/[.!\s]+$/, ''));
  if (clean.length > 140 || /\?/.test(clean)) return null;
  return dosed(clean, setting) ?? recounted(clean, setting) ?? slipped(clean, setting);
}

function recounted(text: string, setting: ChangeSetting): StatementDraft | null {
  const [, lead = '', count, noun = '', since = ''] = RECOUNTED.exec(text) ?? [];
  const isMarked = since !== '' || /\b(?:now|only|just|down|up|back)\b/i.test(lead);
  if (count === undefined || !isMarked || OF_TIME.test(noun)) return null;
  const counted = new RegExp(`\\b(${NUMBER}) ${noun}\\b`, 'iu');
  for (const known of setting.known) {
    const before = PRESENT.test(known) ? counted.exec(known)?.[1] : undefined;
    if (before !== undefined && before.toLowerCase() !== count.toLowerCase())
      return rewritten(known, known.replace(counted, `${count} ${noun}`), before, setting.speaker);
  }
  return null;
}

function slipped(text: string, setting: ChangeSetting): StatementDraft | null {
  const [, phrase, given] = SLIPPED.exec(text) ?? [];
  if (phrase === undefined || given === undefined) return null;
  if (!DATE_VALUE.test(given) && !DATE_VALUE.test(`in ${given}`)) return null;
  const words = contentStems(phrase);
  const value = RANGE.test(given) ? `from ${given}` : /^\d|^\p{L}+ \d/u.test(given) ? `on ${given}` : given;
  for (const known of setting.known) {
    const date = PRESENT.test(known) ? KNOWN_DATE.exec(known)?.[0] : undefined;
    const stems = contentStems(known);
    if (date !== undefined && words.size > 0 && [...words].every((stem) => stems.has(stem)))
      // What it costs was said elsewhere: a statement has no number that its message has not.
      return rewritten(known, known.replace(/,[^,]*\d[^,]*$/, '').replace(date, value), date, setting.speaker);
  }
  return null;
}

function dosed(text: string, { speaker, known }: ChangeSetting): StatementDraft | null {
  const dose = DOSE.exec(text)?.[1];
  if (
    dose === undefined ||
    !DOSED.test(text) ||
    /\b(?:my|her|his) (?:mum|mom|dad|wife|husband|son|daughter|dog|cat)/i.test(text)
  )
    return null;
  const names = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const taken = known
    .filter((each) => /^User\b.*\b(?:tak\p{L}+|on|prescribed)\b/u.test(each))
    .join(' ')
    .toLowerCase();
  const medicine = names.find((name) => isMedication(name));
  if (medicine === undefined || /^(?:i|i'm) .*\b(?:tak\p{L}+|on)\b/iu.test(text)) return null;
  const isTheirs = /\b(?:my|me|i|i'm)\b/i.test(text) || taken.includes(medicine);
  if (!isTheirs) return null;
  return {
    type: 'fact',
    subject: speaker,
    predicate: `now takes ${dose} of ${medicine}`,
    polarity: 'positive',
    importance: 0.7,
    confidence: 'high',
    correction: { rejected: medicine },
    ownWords: ['now', 'takes'],
  };
}

/** "Scrap the vegetarian thing", "forget the marathon idea": what the user was, or was after, is so no longer. */
export function scrappedRule(text: string, { speaker, known }: ChangeSetting): StatementDraft | null {
  const what = SCRAPPED.exec(text)?.[1]?.toLowerCase();
  if (what === undefined) return null;
  const words = contentStems(what);
  const found = known.find((each) => {
    const stems = contentStems(each);
    return (
      words.size > 0 &&
      [...words].every((stem) => stems.has(stem)) &&
      /^User (?:is|wants|plans|would like|aims)\b|^Diet: /.test(each)
    );
  });
  if (found === undefined) return null;
  const isState = new RegExp(`^(?:User is (?:an? |now )*|Diet: )${what.replace(/[^\p{L} '-]/gu, '')}\\b`, 'iu').test(
    found,
  );
  return {
    type: 'fact',
    subject: speaker,
    predicate: isState
      ? `is no longer ${what}`
      : `gave up on ${found.replace(/^User (?:is|wants to|plans to|would like to|aims to) /, '').replace(/\.$/, '')}`,
    polarity: 'negative',
    importance: 0.6,
    confidence: 'high',
    ownWords: ['longer', 'gave', found],
  };
}

function rewritten(known: string, content: string, rejected: string, speaker: string): StatementDraft | null {
  const [, owned = '', predicate] = /^User('s .+?)? ((?:is|are|has|have|\p{Ll}+s)\b.*?)\.?$/u.exec(content) ?? [];
  if (predicate === undefined) return null;
  return {
    type: /^User is \p{L}+ing\b/u.test(known) ? 'context' : 'fact',
    subject: `${speaker}${owned}`,
    predicate,
    polarity: 'positive',
    importance: 0.6,
    confidence: 'high',
    looksAhead: true,
    correction: { rejected },
    ownWords: [known],
  };
}

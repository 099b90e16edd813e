import { expandContractions, joinTokens, tokenizeWords, type Token } from '../../../language/word-tokens.ts';
import { parseClause } from '../clauses/parse-clause.ts';
import { readPlain } from '../clauses/read-plain.ts';
import { renderPredicate, toThirdPerson } from '../clauses/render-predicate.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { draftPlain } from './plain-rule.ts';
import type { Asked } from './asked-rule.ts';
import { reminderOf } from './reminder-rule.ts';

/** What was asked for explicitly is worth at least this. */
const ASKED_IMPORTANCE = 0.8;

/** Marks what rules have read of a sentence as asked for. */
export function asAsked(draft: StatementDraft): StatementDraft {
  return {
    ...draft,
    importance: Math.max(ASKED_IMPORTANCE, draft.importance),
    confidence: 'high',
    asked: true,
  };
}

/** What no rule can read is kept in the user's own words, as a statement that stands alone. */
export function draftAsked(asked: Asked, speaker: string): StatementDraft {
  if (asked.toDo) return asAsked(reminderOf(asked.text, speaker));
  const tokens = expandContractions(tokenizeWords(asked.text));
  const stated = ofPerson(tokens, speaker) ?? ofThing(asked.text);
  if (stated !== null) return asAsked(stated);
  // "Don't forget the milk".
  return !asked.mild && /^(?:the|my|our|an?) \p{L}+(?: \p{L}+){0,3}$/iu.test(asked.text)
    ? asAsked(reminderOf(`about ${asked.text}`, speaker))
    : asAsked(inQuotes(tokens, speaker));
}

/** "I parked on level 3", "my locker is the third": of the user, or of what is theirs. */
function ofPerson(tokens: Token[], speaker: string): StatementDraft | null {
  const clause = parseClause({ tokens, connector: null });
  if (clause === null || clause.subject.kind === 'pronoun') return null;
  const { subject } = clause;
  const isOwned = subject.kind === 'owned';
  return {
    type: 'fact',
    subject: isOwned ? `${speaker}'s ${joinTokens(toThirdPerson(tokenizeWords(subject.phrase)))}` : speaker,
    predicate: `${renderPredicate(clause, isOwned && subject.plural)}${clause.lead === '' ? '' : ` ${clause.lead.toLowerCase()}`}`,
    polarity: clause.negated ? 'negative' : 'positive',
    importance: ASKED_IMPORTANCE,
    confidence: 'high',
    ...(clause.tense === 'past' || clause.tense === 'usedTo' ? {} : { looksAhead: true as const }),
  };
}

function ofThing(text: string): StatementDraft | null {
  const plain = readPlain(text);
  if (plain === null) return null;
  const subject =
    /^(?:the |an? |[A-Z\d])/.test(plain.subject) || plain.head.endsWith('s') ? plain.subject : withArticle(plain);
  return draftPlain({ ...plain, subject }, plain.value);
}

/** "gate code for the yard is …" → "The gate code for the yard is …"; "parking is in Hall C" needs none. */
function withArticle({ subject }: { subject: string }): string {
  return / /.test(subject) && !/^\p{L}+ (?:at|in|on)\b/u.test(subject) ? `the ${subject}` : subject;
}

function inQuotes(tokens: readonly Token[], speaker: string): StatementDraft {
  return {
    type: 'fact',
    subject: speaker,
    predicate: `asked to remember: ${joinTokens(toThirdPerson(tokens))}`,
    polarity: 'positive',
    importance: ASKED_IMPORTANCE,
    confidence: 'high',
    looksAhead: true,
    ownWords: ['asked', 'remember'],
  };
}

// A statement has 30 words at most, its subject and its dates among them.
const MOST_WORDS = 22;

/** Parts a long text where a clause or an item of a list ends, so that none of it is cut. */
export function inPieces(text: string): string[] {
  const pieces: string[] = [];
  for (const part of text.split(/(?<=[,;]) |(?= and )/)) {
    const last = pieces.at(-1);
    const joined = last === undefined ? part : `${last}${part.startsWith(' ') ? '' : ' '}${part}`;
    if (last !== undefined && joined.split(' ').length <= MOST_WORDS) pieces[pieces.length - 1] = joined;
    else pieces.push(part.replace(/^ and /, ''));
  }
  return pieces.map((piece) => piece.replace(/[,;\s]+$/, ''));
}

/** Whether what was read holds every number and name of a text: what was asked for must not lose half. */
export function saysAll(drafts: readonly StatementDraft[], text: string): boolean {
  const said = drafts
    .map(({ subject, predicate }) => `${subject} ${predicate}`)
    .join(' ')
    .toLowerCase();
  const values = text.match(/\d[\d.:,]*\d|\d|(?<=\s)\p{Lu}[\p{L}\p{N}-]+/gu) ?? [];
  return values.every((value) => said.includes(value.toLowerCase()));
}

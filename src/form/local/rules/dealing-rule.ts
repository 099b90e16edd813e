import { isAffair } from '../../../language/affairs.ts';
import { KINSHIP } from '../../../language/kinship.ts';
import { isContentWord } from '../../../language/stop-words.ts';
import { VERB_ADVERBS } from '../clauses/verb-classes.ts';
import type { StatementDraft } from '../statement-draft.ts';

const DEALT =
  /^((?:\p{Lu}[\p{L}\p{N}&'-]*)(?: \p{Lu}[\p{L}\p{N}&'-]*){0,2})(?: (?:has|have|just|finally|already|now))* (signed|renewed|cancelled|canceled|churned|paid|declined|accepted|agreed|approved|confirmed|withdrew|pulled out|backed out|said (?:yes|no))((?: (?:with|to) us)?(?: (?:our|my|the|their) (?:\p{L}+ ){0,2}?(?:contract|deal|offer|proposal|lease|quote|invoice|order|agreement|subscription|renewal|term sheet|nda|budget|loan|mortgage|booking|application))?)(?: (today|yesterday|this (?:morning|week)|last (?:week|month|night)|on \p{Lu}\p{Ll}+day|for (?:\d+|an?|another|two|three|four|five)(?: more)?(?: \p{L}+)? (?:years?|months?)|until \p{Lu}?\p{L}+(?: \d{4})?))?[.!]*$/u;
const ENDING = /^(?:cancelled|canceled|churned|declined|withdrew|pulled out|backed out|said no)$/;

/** "Klarna signed", "Bosch has renewed the contract": what somebody with a name did in the speaker's affairs. */
export function dealingRule(text: string): StatementDraft | null {
  const asked = ASKED.exec(text);
  if (asked?.[1] !== undefined && asked[3] !== undefined && asked[1].split(' ').every(isName))
    return askedOf(asked[1], asked[2] ?? 'asked', asked[3]);
  const [, name, act, what = '', when] =
    DEALT.exec(
      text
        .replace(AFTERTHOUGHT, '')
        .replace(/,? even\b/, '')
        .replace(/, (?=for )/, ' '),
    ) ?? [];
  if (name === undefined || act === undefined || !name.split(' ').every(isName)) return null;
  const object = what.replace(/\bus\b/, 'them').replace(/\b(?:our|my)\b/, "User's");
  return {
    type: 'episode',
    subject: name,
    predicate: `${act}${object}${when === undefined ? '' : ` ${when}`}`,
    polarity: ENDING.test(act) ? 'negative' : 'positive',
    importance: 0.5,
    confidence: 'high',
    ownWords: ['User', "User's"],
  };
}

// "…, after we shipped it": why or when, which is no part of the deal.
const AFTERTHOUGHT = /,? (?:after|because|since|so|but|which|and)\b.*$/;
const ASKED =
  /^(\p{Lu}[\p{L}\p{N}&'-]*(?: \p{Lu}[\p{L}\p{N}&'-]*){0,2}) (?:has |have |just |now |also )*(asked|wants|wanted|needs|expects|requires) (?:us|me) to (\p{L}+ (?!(?:it|that|this|them|him|her|you)\b)\p{L}[^.!?;]{4,100}?)(?=$|[.!]|, (?:so|and|but|which)\b)/u;

function askedOf(name: string, act: string, what: string): StatementDraft {
  return {
    type: 'context',
    subject: name,
    predicate: `${act} User to ${what.replace(/,? (?:before|until|if|unless|or) .*$/, '').replace(/\b(?:our|my)\b/g, 'their')}`,
    polarity: 'positive',
    importance: 0.5,
    confidence: 'high',
    ownWords: ['User'],
  };
}

const ANYBODY =
  /^(?:every|some|any|no)(?:one|body)$|^(?:people|both|most|many|others|all|none|half|customers|users|investors|parents|yes|ok|okay)$/;

/** "Just signed" and "Everyone agreed" have a capital because they open the sentence. */
function isName(word: string): boolean {
  const lower = word.toLowerCase();
  return (
    isContentWord(lower) && !VERB_ADVERBS.has(lower) && !ANYBODY.test(lower) && !isAffair(lower) && !KINSHIP.has(lower)
  );
}

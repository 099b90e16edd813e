import type { ParsedClause } from '../clauses/parse-clause.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { joinTokens } from '../../../language/word-tokens.ts';
import { confidenceOf, type RuleSetting } from './self-rule.ts';

const NUMBER =
  '(?:\\d{1,3}(?:,\\d{3})+|\\d{1,5}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty)';
const WHERE =
  '(?: (?:now|already|today|currently|in total|altogether|all in all|at the moment|at the company|at home|(?:in|on) (?:the|our|my) (?:team|company|office|family|house|flat|household|department|startup|shop)|after the \\p{L}+|plus .+))*';
const ARE = new RegExp(
  `^(?:now |just |only |about |around |already |currently |back )*(?:(?:up|down|back) (?:to|at) )?(?:a (?:team|family|household) of )?(${NUMBER})((?: (?:of us|people|strong|employees|staff|heads|engineers))?)(${WHERE})$`,
  'iu',
);
const GREW = new RegExp(
  `^(?:from ${NUMBER} (?:people )?)?(?:back |up |down )?to (${NUMBER})(?: (?:people|employees|staff|engineers))?(${WHERE})$`,
  'iu',
);
const GROWING = /^(?:grow|shrink|expand|double|drop|fall|scale|go)$/;
const AT_WORK =
  /\b(?:hir(?:e|ed|ing)|teams?|engineers?|employees?|startup|start-up|company|staff|business|agency|firm|office|layoffs?|\d+-person|head ?count|colleagues?|shop|studio)\b/i;
const AT_HOME = /\b(?:family|house|home|household|flat)\b/i;

/** "We're 16 now", "there are five of us", "our team grew to 11": how many they are. A household is no team. */
export function headcountRule(clause: ParsedClause, setting: RuleSetting): StatementDraft | null {
  const { subject, verb, rest, modal, negated, tense } = clause;
  const isTeam = subject.kind === 'owned' && subject.noun === 'team';
  if ((subject.kind !== 'we' && !isTeam) || modal !== null || negated) return null;
  const text = joinTokens(rest).replace(/[\s.!,]+$/, '');
  const grew = GROWING.test(verb) && (tense === 'past' || tense === 'perfect') ? GREW.exec(text) : null;
  const are = verb === 'be' && tense === 'present' ? ARE.exec(text) : null;
  const count = (grew ?? are)?.[1];
  if (count === undefined) return null;
  const [, , of = '', where = ''] = are ?? [];
  const isHome = AT_HOME.test(`${where} ${grew?.[2] ?? ''}`) || /\ba (?:family|household) of\b/i.test(text);
  // A bare number may be a score or an age: who is counted has to be said here or before.
  const around = [...(setting.known ?? []), ...(setting.before ?? []), setting.around ?? ''].join(' ');
  const isCounted = of !== '' || / (?:people|employees|staff|engineers)\b| a team of /.test(` ${text}`);
  if (!isCounted && !isTeam && !isHome && !AT_WORK.test(around)) return null;
  const isChange = grew !== null || /\b(?:now|up|down|back)\b/i.test(`${text} ${clause.adverbs.join(' ')}`);
  return {
    type: 'fact',
    subject: setting.subject,
    predicate: isHome ? `lives in a household of ${count} people` : `has a team of ${count} people`,
    polarity: 'positive',
    importance: 0.8,
    confidence: confidenceOf(clause),
    attribute: isHome ? 'household_size' : 'headcount',
    tags: [isHome ? 'family' : 'business'],
    ownWords: ['team', 'people', 'lives', 'household'],
    ...(isChange ? { correction: {} } : {}),
  };
}

import type { ParsedClause } from '../clauses/parse-clause.ts';
import { renderPredicate } from '../clauses/render-predicate.ts';
import { confidenceOf, type RuleSetting } from './self-rule.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { joinTokens } from '../../../language/word-tokens.ts';

const BUSINESS =
  /\b(?:bakery|restaurant|caf[eé]|shop|store|startup|start-up|company|agency|business|firm|studio|clinic|school|nonprofit|non-profit|charity|consultancy|brand|manufacturer|retailer|marketplace|platform|hotel|salon|gym|brewery|winery|farm|publisher|team of|SaaS|b2b|b2c|family-owned|family-run)\b/i;
const TRADING =
  /^(?:sell|offer|serve|ship|deliver|specialize|specialise|manufacture|operate|employ|export|import|bake|produce|cater|provide|target|charge|stock)$/;
const OWN_BUSINESS =
  /^(?:business|company|shop|store|bakery|restaurant|startup|agency|firm|brand|studio|customers|clients|audience|product|products|team|website|blog|office|revenue|market|café|cafe|salon|clinic|organization|organisation|competitors?|suppliers?|users|pricing|slogan|niche|mission|app|platform|sales|employees|staff|investors?)$/;

const COUNT =
  /^(?:now |about |around |only |already )*(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:employees|staff|members|customers|clients|subscribers|users)\b/i;

/** "We are a bakery in Mumbai", "we sell sweets", "our shop is located in Pune". */
export function businessRule(clause: ParsedClause, setting: RuleSetting): StatementDraft | null {
  const { subject, verb, rest, modal, tense } = clause;
  if (modal !== null || !hasContent(rest)) return null;
  const text = joinTokens(rest);
  const common = {
    polarity: clause.negated ? 'negative' : 'positive',
    importance: 0.8,
    confidence: confidenceOf(clause),
    type: 'fact',
    tags: ['business'],
  } as const;
  if (subject.kind === 'we') {
    const count = verb === 'be' && tense === 'present' && !clause.negated ? COUNT.exec(text)?.[0] : undefined;
    if (count !== undefined)
      return {
        ...common,
        subject: setting.subject,
        predicate: `has ${count.replace(/^(?:now |already )+/i, '')}`,
        ...(clause.adverbs.includes('now') || /\bnow\b/.test(text) ? { correction: {} } : {}),
      };
    const is =
      verb === 'be' &&
      tense === 'present' &&
      /^(?:an? |the |located |based )/i.test(text) &&
      (BUSINESS.test(text) || /^(?:located|based)/i.test(text));
    const trades = TRADING.test(verb) && tense !== 'past';
    const runs = (verb === 'run' || verb === 'own') && BUSINESS.test(text);
    if (runs) return { ...common, subject: setting.subject, predicate: renderPredicate(clause, false) };
    if (!is && !trades) return null;
    const place = /\b(?:in|at|from) (\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*)/u.exec(text)?.[1];
    return {
      ...common,
      subject: `${setting.subject}'s business`,
      predicate: renderPredicate(clause, false),
      ownWords: ['business'],
      attribute: is ? 'business' : `business.${verb}`,
      ...(is && place !== undefined
        ? { keyedFacts: [{ key: 'business_location', value: place, category: 'location' }] }
        : {}),
    };
  }
  if (
    subject.kind !== 'owned' ||
    !(subject.ours || /^(?:business|company|shop|store|bakery|restaurant|startup|agency)$/.test(subject.noun)) ||
    !OWN_BUSINESS.test(subject.noun)
  )
    return null;
  if (verb !== 'be' && tense === 'past') return null;
  return {
    ...common,
    subject: `${setting.subject}'s ${subject.phrase}`,
    predicate: renderPredicate(clause, subject.plural),
    importance: 0.7,
  };
}

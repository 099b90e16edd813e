/** A change that breaks one guard or weight, and the tests that must fail. */
export interface Mutation {
  name: string;
  file: string;
  /** Occurs in the file exactly once. */
  from: string | RegExp;
  to: string;
  /** Arguments of vitest: files of the quick suite, and `-t` with the title of a test. They pass without the mutation. */
  tests: readonly string[];
}

const DECIDE = ['src/form/decide'];
const ORIGIN = ['test/form-hostile.test.ts', 'test/attacks/model-answers.test.ts'];
const RANKING = ['src/recall/ranking-signals.test.ts'];

/** Sets a learned weight to 0 or negates it. */
function weight(signal: string, to: '0' | 'negative'): Mutation {
  return {
    name: `ranking: ${signal} ${to === '0' ? 'has no weight' : 'has the opposite weight'}`,
    file: 'src/recall/ranking.json',
    from: new RegExp(`"${signal}": (-?)([\\d.]+)`),
    to: to === '0' ? `"${signal}": 0` : `"${signal}": -$2`,
    tests: RANKING,
  };
}

/** The mutations that `npm run mutate` tries. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'decide: two values of a many-valued attribute exclude each other',
    file: 'src/form/decide/decide.ts',
    from: "one.polarity === other.polarity && policy.values === 'many'",
    to: 'false',
    tests: DECIDE,
  },
  {
    name: 'decide: a plan counts before its day',
    file: 'src/form/decide/decide.ts',
    from: 'isPast(one) || isPast(other) || isAhead(one, now) || isAhead(other, now)',
    to: 'isPast(one) || isPast(other)',
    tests: DECIDE,
  },
  {
    name: 'decide: statements about different subjects are compared',
    file: 'src/form/decide/decide.ts',
    from: 'same.filter(({ subject }) => isSameSubjectAmong(one.subject, subject, labels))',
    to: 'same',
    tests: DECIDE,
  },
  {
    name: 'decide: less trust wins',
    file: 'src/form/decide/claim-rank.ts',
    from: 'TRUST_LEVELS.indexOf(next.trust) - TRUST_LEVELS.indexOf(known.trust)',
    to: 'TRUST_LEVELS.indexOf(known.trust) - TRUST_LEVELS.indexOf(next.trust)',
    tests: DECIDE,
  },
  {
    name: 'decide: the rank of the source does not count',
    file: 'src/form/decide/claim-rank.ts',
    from: 'SOURCE_RANK[next.sourceType] - SOURCE_RANK[known.sourceType]',
    to: '0',
    tests: DECIDE,
  },
  {
    name: 'trust: a derived record has the highest trust among its sources',
    file: 'src/record/statement.ts',
    from: 'Math.min(...levels',
    to: 'Math.max(...levels',
    tests: ['src/record/trust.test.ts'],
  },
  {
    name: 'trust: a tool has the same trust as the user',
    file: 'src/record/statement.ts',
    from: "tool: 'low'",
    to: "tool: 'high'",
    tests: ['test/attacks/tool-trust.test.ts', 'test/form-hostile.test.ts'],
  },
  {
    name: 'check: pasted text counts as the user’s own words',
    file: 'src/form/check/evidence.ts',
    from: "event.kind !== 'message' || isFromOutside(evidence)) return false",
    to: "event.kind !== 'message') return false",
    tests: ORIGIN,
  },
  {
    name: 'check: an instruction from outside is learned',
    file: 'src/form/check/evidence.ts',
    from: "return { reason: 'instruction_from_outside' };",
    to: '',
    tests: ORIGIN,
  },
  {
    name: 'check: a statement passes with a number that nobody said',
    file: 'src/form/check/evidence.ts',
    from: 'if (number !== null) return',
    to: 'if (false) return',
    tests: ['test/form-statements.test.ts', ...ORIGIN],
  },
  {
    name: 'escape: stored text closes a tag',
    file: 'src/language/inert-text.ts',
    from: ".replaceAll('<', '&lt;')",
    to: '',
    tests: ['test/assemble-safety.property.test.ts', 'test/attacks/delimiters.test.ts'],
  },
  {
    name: 'escape: stored text opens a code fence or a tag in Markdown',
    file: 'src/language/inert-text.ts',
    from: 'const lines = inertText(text)',
    to: 'const lines = text',
    tests: ['test/assemble-safety.property.test.ts', 'test/attacks/delimiters.test.ts'],
  },
  {
    name: 'erase: work that read an erased owner is committed',
    file: 'src/store/owner-store.ts',
    from: 'incarnationOf(rows[0]) === incarnation) return',
    to: 'true) return',
    tests: ['test/form-failure.test.ts', '-t', 'erased while the model reads'],
  },
  weight('speaker', '0'),
  weight('statement', '0'),
  weight('meaning', 'negative'),
  weight('otherForms', 'negative'),
  weight('lateNow', 'negative'),
  weight('answerMeaning', '0'),
  weight('othersWords', '0'),
  {
    name: 'ranking: abstention prefers stores without a similar record',
    file: 'src/recall/ranking.json',
    from: /("anybody": \{\s+"bias": -?[\d.]+,\s+"weights": \{\s+"bestSimilarity": )/,
    to: '$1-',
    tests: ['test/recall.test.ts'],
  },
  {
    name: 'ranking: the assistant’s turns count like the user’s turns',
    file: 'src/recall/ranking.json',
    from: /"agentTurn": -[\d.]+/,
    to: '"agentTurn": 0',
    tests: RANKING,
  },
  {
    name: 'ranking: untrusted records come first',
    file: 'src/recall/relevance.ts',
    from: /distrust: -([\d.]+)/,
    to: 'distrust: $1',
    tests: RANKING,
  },
  {
    name: 'ranking: the constant of reciprocal ranks is changed',
    file: 'src/recall/rank-documents.ts',
    from: 'RECIPROCAL_RANK_CONSTANT = 60',
    to: 'RECIPROCAL_RANK_CONSTANT = 10',
    tests: ['src/recall/ranking.property.test.ts'],
  },
  {
    name: 'ranking: more than the 30 nearest are ranked',
    file: 'src/recall/rank-documents.ts',
    from: 'options.candidates ?? 30',
    to: 'options.candidates ?? 300',
    tests: ['test/recall.test.ts', '-t', 'the 30 nearest are ranked'],
  },
  {
    name: 'decide: the number of candidates has no limit',
    file: 'src/form/form.ts',
    from: '.slice(0, deps.settings.limits.candidates)',
    to: '',
    tests: ['test/form.test.ts', '-t', 'at most five candidates'],
  },
  {
    name: 'decide: unrelated memories become candidates',
    file: 'src/form/decide/decide.ts',
    from: 'similarity >= context.thresholds.related',
    to: 'similarity >= 0',
    tests: DECIDE,
  },
];

/** The text of a file with a mutation. Throws unless `from` occurs exactly once. */
export function mutated(original: string, { file, from, to }: Mutation): string {
  const places =
    typeof from === 'string' ? original.split(from).length - 1 : [...original.matchAll(new RegExp(from, 'g'))].length;
  if (places !== 1) throw new Error(`${file} has ${String(from)} ${places} times, not once.`);
  return typeof from === 'string' ? original.replace(from, () => to) : original.replace(from, to);
}

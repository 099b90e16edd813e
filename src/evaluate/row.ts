/** Each measure produces rows, one for each question, memory or statement. */
export const MEASURES = ['extraction', 'retrieval', 'scaffold', 'consolidation', 'cold-start', 'end-to-end'] as const;
export type Measure = (typeof MEASURES)[number];

/** One measured item: a line of the run's file. */
export interface Row {
  conversation: string;
  /** The configuration: `all`, or the name of an ablation. */
  arm: string;
  measure: Measure;
  /** The id of the question or of the expected memory, or the name of the statement. */
  item: string;
  /** The kind of question or memory. */
  kind: string;
  /** The measured values, by metric name (see {@link METRICS}). */
  values: Record<string, number>;
  /** The texts that were asked, found or missed, for people who read the report. */
  detail?: Record<string, unknown>;
}

export type Found = Omit<Row, 'conversation' | 'arm'>;

/** The definition of a metric. */
export interface Metric {
  measure: Measure;
  title: string;
  definition: string;
  /** Whether higher or lower is better; `none` for a descriptive metric. */
  better: 'higher' | 'lower' | 'none';
  /** Shares are shown as .713, counts as plain numbers, and times in milliseconds. */
  unit: 'share' | 'count' | 'milliseconds';
}

type Definition = Omit<Metric, 'measure'>;

function metric(better: Metric['better']) {
  return (title: string, definition: string, unit: Metric['unit'] = 'share'): Definition => {
    return { title, definition, better, unit };
  };
}

const [higher, lower, descriptive] = [metric('higher'), metric('lower'), metric('none')];

function metricsOf(measure: Measure, metrics: Record<string, Definition>): Record<string, Metric> {
  return Object.fromEntries(Object.entries(metrics).map(([name, defined]) => [name, { measure, ...defined }]));
}

/** The token budgets at which the prompt is measured. */
export const BUDGETS: readonly number[] = [500, 1000, 2000, 4000];

/** All metrics of a run, with their definitions. */
export const METRICS: Readonly<Record<string, Metric>> = {
  ...metricsOf('extraction', {
    kept: higher(
      'kept (recall)',
      'Share of the expected memories that hold at the end and that live statements from their turns contain. A statement contains a memory if it has the value of the memory’s slot, 60 % of the memory’s content words, or 25 % of them if it quotes the turn. Several statements from the turn may contain the 60 % together. With expected_contains, a live memory must have the expected type, the minimum importance and at least one of the expected words.',
    ),
    complete: higher(
      'expected words kept',
      'With expected_contains, the share of the expected words that live memories of the transcript have.',
    ),
    stale: lower('stale', 'Share of the expected memories that have ended and are still said by a live statement.'),
    useful: higher(
      'useful (precision)',
      'Share of the live statements that rest on a turn that states an expected memory.',
    ),
    hallucinated: lower(
      'hallucinated',
      'Share of the live statements for which the conversation has fewer than half of the content words of the statement or of its value. A free paraphrase therefore counts as hallucinated.',
    ),
    duplicate: lower(
      'duplicates',
      'Share of the live statements that repeat an earlier live statement: the same subject, attribute and value, or four fifths of the content words.',
    ),
    calls: lower('model calls', 'Calls of language models per session, without judging.', 'count'),
    sentTokens: lower('tokens sent', 'Tokens sent to language models per session.', 'count'),
    models: descriptive('models in use', 'Number of language models that were called.', 'count'),
    cost: lower(
      'cost',
      'Cost of language models per session in micro-dollars, if the ledger knows the price of every call.',
      'count',
    ),
  }),
  ...metricsOf('retrieval', {
    'precision@5': higher(
      'precision@5',
      'Share of the first five results that rest on a turn of evidence that no earlier result had.',
    ),
    'ndcg@5': higher(
      'NDCG@5',
      'Normalised discounted cumulative gain of the first five results, by turns of evidence.',
    ),
    'recall@5': higher(
      'recall@5',
      'Share of the turns of evidence among the first five results. A memory counts as the turns that it was formed from.',
    ),
    'recall@10': higher('recall@10', 'Share of the turns of evidence among the first ten results.'),
    mrr: higher('MRR', '1 / rank of the first result with evidence, 0 if there is none.'),
    silentOnUnanswerable: higher(
      'silent on unanswerable',
      'Share of the unanswerable questions on which recall abstains.',
    ),
    silentOnAnswerable: lower('wrongly silent', 'Share of the answerable questions on which recall abstains.'),
    leaked: lower(
      'forgotten and found',
      'Share of the turns that the user asked to forget and whose words are still in the first ten results of recall or in the turns behind these results.',
    ),
    confidence: descriptive(
      'confidence',
      'Recall’s probability that the answer is known: the axis of the abstention curve.',
    ),
    milliseconds: lower(
      'time of a recall',
      'Milliseconds of a recall, including the embedding of the query.',
      'milliseconds',
    ),
  }),
  ...metricsOf('scaffold', {
    right: higher(
      'scaffold accuracy',
      'Share of the user’s slots (home_city, employer, …) that hold at the end and whose value the permanent facts or the scaffold have.',
    ),
    contradicted: lower('contradicted', 'Share of the user’s slots for which only another value is known.'),
  }),
  ...metricsOf('consolidation', {
    coverage: higher(
      'coverage',
      'Share of the expected memories that hold and that a line of the documents (profile, working memory, scaffold, reflections) contains.',
    ),
    staleness: lower(
      'staleness',
      'Share of the expected memories that have ended and that the documents still contain.',
    ),
    words: descriptive('length', 'Number of words of all documents together.', 'count'),
    completeness: higher(
      'completeness (judged)',
      'Mark of the judge model from 1 to 5, as a share, for whether the documents contain everything important.',
    ),
    conciseness: higher(
      'conciseness (judged)',
      'Mark of the judge model from 1 to 5, as a share, for whether the documents are free of repetition and trivia.',
    ),
    recency: higher(
      'recency (judged)',
      'Mark of the judge model from 1 to 5, as a share, for whether the statements of the documents still hold.',
    ),
  }),
  ...metricsOf('cold-start', {
    turnsToFirst: lower(
      'turns to the first right answer',
      'User turns until the prompt (2,000 tokens) first has all evidence of a question. If this never happens, all turns of the conversation count.',
      'count',
    ),
    turnsWaited: lower(
      'turns waited',
      'User turns from the first turn that completes the evidence of a question until the prompt first has all evidence of a question; 0 means at once.',
      'count',
    ),
  }),
  ...metricsOf('end-to-end', {
    ...Object.fromEntries(
      BUDGETS.map((tokens) => [
        `evidence@${tokens}`,
        higher(
          `evidence in ${tokens.toLocaleString('en')} tokens`,
          `Share of the evidence of a question that is in the prompt of ${tokens.toLocaleString('en')} tokens. A turn of evidence is in the prompt if the prompt has its beginning, or nine tenths of it sentence by sentence. It is also in the prompt if a line has 60 % of the content words of an expected memory of the turn, or the name and value of the memory’s slot. The statements from the turn may have the 60 % together.`,
        ),
      ]),
    ),
    leakedInPrompt: lower(
      'forgotten and in the prompt',
      'Share of the turns that the user asked to forget and that a prompt of 4,000 tokens still contains.',
    ),
    tokens: descriptive('tokens of memory', 'Tokens of memory in the prompt of 2,000 tokens.', 'count'),
    saved: higher(
      'tokens saved',
      '1 − tokens of memory in the prompt / tokens of the whole history, for questions whose history is longer than the budget of 2,000 tokens.',
    ),
    overhead: lower(
      'memory against a short history',
      'Tokens of memory in the prompt / tokens of the whole history, for questions whose history still fits into the budget of 2,000 tokens. A value above 1 means that memory repeats itself.',
    ),
    correct: higher(
      'right answers (judged)',
      'Share of the questions that a model answers from the prompt alone and that a judge model calls right, with the rubric in src/evaluate/judge.ts. The right answer to an unanswerable question is that the answer is unknown.',
    ),
  }),
};

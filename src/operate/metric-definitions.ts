// Plain data, without imports: the inspector in the browser shows the same words.

/** What each number is, for every place that shows one. */
export const ONLINE_METRICS: Readonly<Record<string, { title: string; definition: string; healthy: string }>> = {
  contextUtilisation: {
    title: 'Context utilisation',
    definition:
      'Of the memories that were looked up for a turn and judged since, the share whose words the agent’s answer uses.',
    healthy: 'The higher, the less of the prompt is wasted.',
  },
  observationRate: {
    title: 'Observation rate',
    definition: 'Observations that the agent has noted of its own accord (record_observation), for each conversation.',
    healthy: 'Near 0 the agent does not use the tool; above 5 it notes small talk.',
  },
  statementRate: {
    title: 'Statements',
    definition: 'Statements formed for each conversation.',
    healthy: 'A sudden fall means that reading has broken.',
  },
  scaffold: {
    title: 'Scaffold growth',
    definition: 'Keys of a scaffold over time, on average over users.',
    healthy: 'Growth slows down: less than half of the keys come in the second half of its versions.',
  },
  correctionRate: {
    title: 'Correction rate',
    definition:
      'Corrections (observations of that category, and answers that used a memory and were corrected by the user), for each turn of users.',
    healthy: 'Falls with time.',
  },
  repeatQuestionRate: {
    title: 'Repeated questions',
    definition:
      'Of the agent’s questions to the user that ask for an attribute (its last 500 turns with a question), the share whose answer it had in memory by then.',
    healthy: 'Near 0.',
  },
};

export type CheckName = 'hallucinated' | 'duplicate' | 'refused' | 'empty';

/** What is checked on live data without labels, and from where on it is an alert. */
export const EXTRACTION_CHECKS: Readonly<Record<CheckName, { definition: string; threshold: number; remedy: string }>> =
  {
    hallucinated: {
      definition:
        'Share of the statements that say too little of what their own turns say: fewer than half of their words.',
      threshold: 0.1,
      remedy: 'read them with `varve list`, then change the model or its prompt',
    },
    duplicate: {
      definition: 'Share of the statements that repeat another of the same user.',
      threshold: 0.1,
      remedy: 'run `varve calibrate` for your embedder: doubles are found by its thresholds',
    },
    refused: {
      definition: 'Share of what the reader gave that the checks refused.',
      threshold: 0.3,
      remedy: 'see `varve refusals` for the reasons',
    },
    empty: {
      definition: 'Share of the conversations with at least five turns of the user of which nothing was kept.',
      threshold: 0.5,
      remedy: 'see `varve jobs` for failed formations and `varve refusals` for what was refused',
    },
  };

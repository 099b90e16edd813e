// Keep this file without imports. The inspector imports it, so anything else would become part of the page that a browser loads.

export const ONLINE_METRICS: Readonly<Record<string, { title: string; definition: string; healthy: string }>> = {
  contextUtilisation: {
    title: 'Context utilisation',
    definition: 'The share of recalled memories whose words the agent’s answer uses, among those already judged.',
    healthy: 'A high value means that little of the prompt is wasted.',
  },
  observationRate: {
    title: 'Observation rate',
    definition: 'Observations that the agent has noted by itself (record_observation), per conversation.',
    healthy: 'Near 0, the agent does not use the tool; above 5, it notes small talk.',
  },
  statementRate: {
    title: 'Statements',
    definition: 'Statements formed, per conversation.',
    healthy: 'A sudden fall means that reading has broken.',
  },
  scaffold: {
    title: 'Scaffold growth',
    definition: 'Keys of a scaffold over time, on average over users.',
    healthy: 'Growth should slow down: fewer than half of the keys are added in the second half of the versions.',
  },
  correctionRate: {
    title: 'Correction rate',
    definition:
      'Corrections (observations of that category, and answers that used a memory and were corrected by the user), per turn of a user.',
    healthy: 'The rate falls over time.',
  },
  repeatQuestionRate: {
    title: 'Repeated questions',
    definition:
      'The share of the agent’s questions about an attribute of the user (in its last 500 turns with a question) whose answer was already in memory.',
    healthy: 'The rate is near 0.',
  },
};

export type CheckName = 'hallucinated' | 'duplicate' | 'refused' | 'empty';

/** Checks of real memories, which need no labels. More failures than the `threshold` (a fraction) raise an alert. */
export const EXTRACTION_CHECKS: Readonly<Record<CheckName, { definition: string; threshold: number; remedy: string }>> =
  {
    hallucinated: {
      definition:
        'Share of the statements with fewer than half of their words in the conversation that they were formed from.',
      threshold: 0.1,
      remedy: 'read them with `varve list`, then change the model or its prompt',
    },
    duplicate: {
      definition: 'Share of the statements that repeat another statement about the same user.',
      threshold: 0.1,
      remedy: 'run `varve calibrate` for your embedder: duplicates are found by its thresholds',
    },
    refused: {
      definition: 'Share of the reader’s statements that the checks refused.',
      threshold: 0.3,
      remedy: 'see `varve refusals` for the reasons',
    },
    empty: {
      definition: 'Share of the conversations with at least five user turns from which nothing was kept.',
      threshold: 0.5,
      remedy: 'see `varve jobs` for failed formations and `varve refusals` for refused statements',
    },
  };

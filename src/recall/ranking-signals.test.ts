import { describe, expect, it } from 'vitest';
import { memoryTypeTable } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import { analyzeQuery } from './analyze-query.ts';
import { SIGNAL_NAMES, type SignalName } from './candidate-signals.ts';
import type { RecallDocument } from './recall-document.ts';
import { matchLexically } from './lexical-index.ts';
import { rankByEvidence } from './rank-documents.ts';
import { RecallView } from './recall-view.ts';
import { RANKING, standingOf, summariseEvidence, sumOf } from './relevance.ts';

const NOW = Date.parse('2026-06-15T09:00:00Z');
const turn = (text: string, fields: Partial<RecallDocument> = {}): Omit<RecallDocument, 'rowId' | 'id'> => ({
  kind: 'event',
  text,
  type: 'message',
  attribute: null,
  category: null,
  isPermanent: false,
  speaker: '\u0001user',
  role: 'user',
  session: 's1',
  connection: null,
  sources: [],
  time: Date.parse('2026-03-01T09:00:00Z'),
  until: null,
  expiresAt: null,
  successor: null,
  ...fields,
});

/** The order of documents for a question, without vectors, so that one signal other than meaning decides. */
function ranked(question: string, documents: readonly Omit<RecallDocument, 'rowId' | 'id'>[], cohesion = 0): string[] {
  const view = new RecallView(memoryTypeTable());
  for (const [index, document] of documents.entries()) view.add({ ...document, rowId: index, id: `d${index}` });
  view.cohesion = { neighbour: cohesion, session: 0 };
  const analysis = analyzeQuery(question, view, { now: NOW, timeZone: 'UTC' });
  const none = new Float32Array(documents.length);
  const { documents: found } = rankByEvidence(
    {
      view,
      analysis,
      now: NOW,
      match: matchLexically(view.index, analysis.terms),
      allowed: view.live,
      asked: new Set(),
      similarityOf: () => 0,
      meaning: none,
    },
    documents.length,
  );
  return found.map(({ ordinal }) => documents[ordinal]?.text ?? '');
}

// The better document is never the first, because the first would win a tie.
describe('one signal decides between two documents', () => {
  it('a turn by the person whom the question names comes first', () => {
    const by = (speaker: string): Partial<RecallDocument> => ({ speaker, role: null });
    expect(
      ranked('Which instrument does Mira play?', [
        turn('I play the oboe.', by('Jonas')),
        turn('I play the viola.', by('Mira')),
      ])[0],
    ).toBe('I play the viola.');
  });

  it('a question ranks behind its answer', () => {
    expect(
      ranked('ferry timetable', [
        turn('Do you have the ferry timetable?'),
        turn('The ferry timetable hangs in the hall.'),
      ])[0],
    ).toBe('The ferry timetable hangs in the hall.');
  });

  it('words of the assistant or of a tool rank behind the same words of the user', () => {
    const agent = turn('The boiler is from 2009.', { speaker: '\u0001agent', role: 'agent' });
    const tool = turn('# The boiler is from 2009.', { type: 'tool_result', speaker: null, role: 'tool' });
    const user = turn('The boiler was made in 2009.');
    expect(ranked('boiler 2009', [agent, tool, user])[0]).toBe('The boiler was made in 2009.');
    expect(ranked('When did you say the boiler is from?', [user, agent])[0]).toBe('The boiler is from 2009.');
  });

  it('a statement ranks before the turn that it was formed from', () => {
    const said = turn('We keep bees.');
    const statement = turn('We keep bees!', { kind: 'memory', type: 'fact', speaker: null, role: null, session: null });
    expect(ranked('bees', [said, statement])[0]).toBe('We keep bees!');
  });

  it('the last turn answers a question about now, and the first turn a question about the beginning', () => {
    const early = turn('The choir meets on Mondays.', { time: Date.parse('2026-01-05T09:00:00Z') });
    const late = turn('The choir meets on Fridays.', { time: Date.parse('2026-05-05T09:00:00Z') });
    expect(ranked('On which day does the choir meet now?', [early, late])[0]).toBe('The choir meets on Fridays.');
    expect(ranked('On which day did the choir meet originally?', [late, early])[0]).toBe('The choir meets on Mondays.');
  });

  it('a named time matches the time of a turn, or the time in which a statement was true', () => {
    const at = (time: string, until: number | null): Partial<RecallDocument> => ({ time: Date.parse(time), until });
    const others = Array.from({ length: 30 }, (_, index) =>
      turn(`Nothing of note ${index}.`, { time: Date.parse('2025-07-01') }),
    );
    const march = turn('Had lunch with Oda.', at('2026-03-10', null));
    const may = turn('Had lunch with Piet.', at('2026-05-10', null));
    expect(ranked('Who was at lunch in March 2026?', [may, march, ...others])[0]).toBe('Had lunch with Oda.');
    const old = turn('Rents in Gent.', { kind: 'memory', ...at('2026-01-01', Date.parse('2026-04-01')) });
    const next = turn('Rents in Brugge.', { kind: 'memory', ...at('2026-04-01', Infinity) });
    expect(ranked('Where did she rent in March 2026?', [next, old, ...others])[0]).toBe('Rents in Gent.');
  });

  it('other forms of a word also match in languages without stemming', () => {
    expect(ranked('Gdzie mieszkasz i pracujesz?', [turn('Lubię koty.'), turn('Mieszkam w Gdyni.')])[0]).toBe(
      'Mieszkam w Gdyni.',
    );
  });

  it('words of neighbouring turns raise the score of a turn if the conversation stays on its topic', () => {
    const talk = [
      turn('Cold day.'),
      turn('Fine.'),
      turn('What about the regatta in Kiel?', { speaker: '\u0001agent', role: 'agent' }),
      turn('I came third.'),
    ];
    expect(ranked('regatta Kiel', talk, 1)[0]).toBe('I came third.');
    expect(ranked('regatta Kiel', talk, 0)[0]).not.toBe('I came third.');
  });
});

describe('what a question asks for', () => {
  const view = new RecallView(memoryTypeTable());
  for (const [index, speaker] of ['\u0001user', 'Mira'].entries())
    view.add({
      ...turn('Good morning.', { speaker, role: index === 0 ? 'user' : null }),
      rowId: index,
      id: `d${index}`,
    });
  const analyze = (question: string): ReturnType<typeof analyzeQuery> =>
    analyzeQuery(question, view, { now: NOW, timeZone: 'UTC' });

  it.each([
    ['What games has he played?', true],
    ['What old games did they play?', true],
    ['What game has he played?', false],
    ['What does James play?', false],
    ['¿Qué juegos tiene?', true],
    ['¿Qué juego tiene?', false],
  ])('"%s" asks for several results: %s', (question, several) => expect(analyze(question).wants.several).toBe(several));

  it.each([
    ['Where did he live in March?', '2026-03-01', '2026-04-01'],
    ['Wo wohnte er im März?', '2026-03-01', '2026-04-01'],
    ['Wat deed hij in maart?', '2026-03-01', '2026-04-01'],
    ['Was ist seit März anders?', '2026-03-01', null],
  ])('%s asks about a time', (question, from, to) =>
    expect(analyze(question).times).toEqual([{ from: Date.parse(from), to: to === null ? Infinity : Date.parse(to) }]),
  );

  it('the first person is not a name, so the words of other speakers are not compared', () => {
    const asked = (question: string): string =>
      summariseEvidence({ view, analysis: analyze(question), match: matchLexically(view.index, []) } as never, [], 1)
        .asked;
    expect(asked('Where do I buy my timber?')).toBe('anybody');
    expect(asked('Where does Mira buy her timber?')).toBe('named');
  });
});

describe('the learned weights', () => {
  // Retraining must not change the signs of these weights.
  const FOR: SignalName[] = [
    'meaning',
    'words',
    'otherForms',
    'speaker',
    'agentAsked',
    'statement',
    'sameMatter',
    'hasSameMatter',
    'time',
    'date',
    'fresh',
    'lateNow',
    'lateNear',
    'nearShort',
    'answerMeaning',
    'windowWords',
    'sessionWords',
    'keyed',
    'otherLanguageWords',
    'otherLanguageForms',
    'otherLanguageBm25',
    'length',
  ];
  const AGAINST: SignalName[] = [
    'asking',
    'agentTurn',
    'toolTurn',
    'latePast',
    'anchor',
    'relative',
    'othersWords',
    'otherLanguageMeaning',
  ];

  it.each(FOR)('%s raises the score of a document', (name) => expect(RANKING.weights[name]).toBeGreaterThan(0.1));
  it.each(AGAINST)('%s lowers the score of a document', (name) => expect(RANKING.weights[name]).toBeLessThan(-0.1));
  it('include a weight for every signal', () => {
    expect(Object.keys(RANKING.weights).toSorted()).toEqual([...SIGNAL_NAMES].toSorted());
  });

  it('rank memories of low trust behind others', () => {
    const standing = (trust: Memory['trust']): number =>
      sumOf(standingOf({ trust } as Memory, { recency: 0.5, importance: 0.5, frequency: 0, entity: 0 }));
    expect(standing('low')).toBeLessThan(standing('high') - 1);
    expect(standing('medium')).toBe(standing('high'));
  });
});

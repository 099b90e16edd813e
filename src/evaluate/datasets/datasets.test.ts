import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DATASETS, loadDataset, type DatasetName } from './load-dataset.ts';
import { dateOf } from './read-data.ts';
import { transcriptTurns } from './statement-files.ts';

// All files are invented. Each has the known faults of the real files of its data set.
const root = mkdtempSync(join(tmpdir(), 'varve-datasets-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function file(name: string, content: unknown): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  const lines = name.endsWith('.jsonl') ? (content as unknown[]).map((each) => JSON.stringify(each)).join('\n') : null;
  writeFileSync(path, lines ?? JSON.stringify(content));
  return path;
}

const load = (name: DatasetName, path: string) => loadDataset({ name, path });

describe('LoCoMo', () => {
  const path = file('locomo.json', [
    {
      sample_id: 'conv-1',
      conversation: {
        speaker_a: 'Ada',
        session_2_date_time: '9:05 am on 3 June, 2023',
        session_2: [{ speaker: 'Ben', dia_id: 'D2:1', text: 'I moved.' }],
        session_10: [{ speaker: 'Ada', dia_id: 'D10:1', text: 'Ten.' }],
        session_1_date_time: '1:56 pm on 8 May, 2023',
        session_1: [
          { speaker: 'Ada', dia_id: 'D1:1', text: '', blip_caption: 'a red kite' },
          { speaker: 'Ben', dia_id: 'D1:2', text: '  ' },
        ],
      },
      qa: [
        { question: 'What flies?', answer: 2022, category: 1, evidence: ['D1:1; D2:1'] },
        { question: 'Who moved?', answer: 'Ben', category: 4, evidence: ['D:2:01'] },
        { question: 'Lost?', answer: 'x', category: 4, evidence: ['D99:1'] },
        { question: 'Never said?', adversarial_answer: 'y', category: 5, evidence: ['D1:1'] },
        { question: 'Wrong gold?', answer: 'z', category: 2, evidence: ['D1:1'], audit: 'WRONG_CITATION' },
      ],
    },
  ]);

  it('[T18] is read with its faults corrected and its categories named', () => {
    const { conversations, faults } = load('locomo', path);
    const [conversation] = conversations;
    expect(conversation?.sessions.map(({ id }) => id)).toEqual(['session_1', 'session_2', 'session_10']);
    expect(conversation?.sessions[0]?.start).toEqual(new Date('2023-05-08T13:56:00Z'));
    expect(conversation?.sessions[0]?.turns.map(({ text }) => text)).toEqual(['[shares a red kite]']);
    expect(conversation?.questions.map(({ kind, answer, evidence }) => ({ kind, answer, evidence }))).toEqual([
      { kind: 'multi', answer: '2022', evidence: ['D1:1', 'D2:1'] },
      { kind: 'single', answer: 'Ben', evidence: ['D2:1'] },
      { kind: 'unknown', answer: 'unknown', evidence: ['D1:1'] },
    ]);
    expect(faults).toEqual([
      '1 questions whose gold answer is known to be wrong were left out.',
      '1 empty turns were left out.',
      '1 pieces of evidence name no turn and were left out.',
      '1 questions have no evidence in the conversation and were left out.',
    ]);
  });

  it('takes its questions from another file of the folder', () => {
    const talk = file('beside/talk.json', [
      { sample_id: 'c', conversation: { session_1: [{ speaker: 'A', dia_id: 'D1:1', text: 'Hi.' }] } },
    ]);
    file('beside/talk-qa.jsonl', [
      { id: 'q', sample_id: 'c', category: 2, question: 'When?', answer: 'May', evidence: ['D1:1'] },
      { id: 'other', sample_id: 'd', category: 2, question: 'When?', answer: 'May', evidence: ['D1:1'] },
    ]);
    expect(load('locomo', talk).conversations[0]?.questions.map(({ id, kind }) => [id, kind])).toEqual([['q', 'time']]);
  });
});

describe('LongMemEval', () => {
  it('has a history for each question, with its sessions in order and without duplicates', () => {
    const path = file('lme.json', [
      {
        question_id: 'q1',
        question_type: 'knowledge-update',
        question: 'Where?',
        answer: 7,
        haystack_session_ids: ['b', 'a', 'b'],
        haystack_dates: ['2023/05/21 (Sun) 00:51', '2023/05/20 (Sat) 15:08', '2023/05/21 (Sun) 00:51'],
        haystack_sessions: [
          [{ role: 'user', content: 'In Linz.', has_answer: true }],
          [
            { role: 'user', content: 'Hello.' },
            { role: 'assistant', content: 'Hello!' },
          ],
          [{ role: 'user', content: 'In Linz.', has_answer: true }],
        ],
      },
      {
        question_id: 'q2_abs',
        question_type: 'multi-session',
        question: 'Who?',
        answer: 'never said',
        haystack_sessions: [[{ role: 'user', content: 'Hi.', has_answer: true }]],
      },
    ]);
    const { conversations, faults } = load('longmemeval', path);
    expect(conversations[0]?.sessions.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(conversations[0]?.questions[0]).toMatchObject({ kind: 'knowledge-update', answer: '7', evidence: ['b.1'] });
    expect(conversations[1]?.questions[0]).toMatchObject({ kind: 'unknown', isAnswerable: false, evidence: [] });
    expect(faults).toEqual(['1 sessions were duplicates within one history and count once.']);
  });
});

describe('REALTALK', () => {
  it('has clean text, times for each message, and its own categories', () => {
    file('realtalk/Chat_1.json', {
      name: { speaker_1: 'A', speaker_2: 'B' },
      session_1_date_time: '29.12.2023, 16:03:22',
      session_1: [
        {
          clean_text: 'Happy new year',
          text: 'ignored',
          speaker: 'A',
          dia_id: 'D1:1',
          date_time: '29.12.2023, 16:04:00',
        },
        { clean_text: 'To you too', speaker: 'B', dia_id: 'D1:2', date_time: '29.12.2023, 16:05:00' },
        { clean_text: 'See you', speaker: 'A', dia_id: 'D1:3', date_time: '29.12.2023, 16:06:00' },
      ],
      qa: [
        { question: 'When?', answer: 'December', evidence: ['D1:1'], category: 2 },
        { question: 'Who wishes whom?', answer: 'Both', evidence: ['D1:1-D1:2'], category: 1 },
        { question: 'Are they friends?', answer: 'Yes', evidence: ['D1:1-3'], category: 3 },
      ],
    });
    const [conversation] = load('realtalk', join(root, 'realtalk')).conversations;
    expect(conversation?.id).toBe('Chat_1');
    expect(conversation?.sessions[0]?.turns[0]).toMatchObject({
      text: 'Happy new year',
      at: new Date('2023-12-29T16:04:00Z'),
    });
    expect(conversation?.questions.map(({ kind, evidence }) => [kind, evidence])).toEqual([
      ['time', ['D1:1']],
      ['multi', ['D1:1', 'D1:2']],
      ['commonsense', ['D1:1', 'D1:2', 'D1:3']],
    ]);
  });
});

describe('BEAM', () => {
  it('is read from folders, with duplicate ids and evidence of any shape', () => {
    const message = (id: number, content: string, anchor?: string) => ({
      role: 'user',
      id,
      content,
      ...(anchor === undefined ? {} : { time_anchor: anchor }),
    });
    file('beam/1/chat.json', [
      { batch_number: 1, turns: [[message(1, 'One.', 'March-15-2024'), message(2, 'Two.')]] },
      { batch_number: 2, turns: [[message(2, 'Two again.')]] },
    ]);
    file('beam/1/probing_questions.json', {
      abstention: [{ question: 'Unsaid?', ideal_response: 'not said' }],
      knowledge_update: [{ question: 'What now?', answer: 'Two', source_chat_ids: { original: [1], updated: [2] } }],
    });
    const { conversations, faults } = load('beam', join(root, 'beam'));
    expect(conversations[0]?.sessions[0]?.start).toEqual(new Date('2024-03-15T00:00:00Z'));
    expect(conversations[0]?.questions.map(({ kind, evidence }) => [kind, evidence])).toEqual([
      ['unknown', []],
      ['update', ['s1.1', 's1.2']],
    ]);
    expect(faults).toEqual(['1 messages have a duplicate id; evidence refers to the first message with that id.']);
  });

  it('reports questions that cannot be read', () => {
    file('beam2/1/chat.json', [{ turns: [[{ role: 'user', id: 1, content: 'One.' }]] }]);
    file('beam2/1/probing_questions.json', "{'abstention': []}");
    expect(load('beam', join(root, 'beam2')).faults).toEqual(['1 has no questions that can be read.']);
  });
});

describe('HaluMem', () => {
  it('has memories by session, ends updated memories, and leaves distractors out', () => {
    const point = (text: string, more: object = {}) => ({
      memory_content: text,
      memory_type: 'Persona Memory',
      is_update: 'False',
      ...more,
    });
    const path = file('halumem.jsonl', [
      {
        uuid: 'u1',
        sessions: [
          {
            start_time: 'Sep 04, 2025, 21:10:33',
            dialogue: [{ role: 'user', content: 'I live in Graz.', timestamp: 'Sep 04, 2025, 21:11:00' }],
            memory_points: [
              point('Lives in Graz.'),
              point('Lives in Graz.'),
              point('Lives on Mars.', { memory_source: 'interference' }),
            ],
            questions: [
              {
                question: 'Where?',
                answer: 'Graz',
                question_type: 'Basic Fact Recall',
                evidence: [{ memory_content: 'Lives in Graz.' }],
              },
            ],
          },
          {
            start_time: 'Sep 08, 2025, 21:10:33',
            dialogue: [{ role: 'user', content: 'I moved to Wels.' }],
            memory_points: [point('Lives in Wels.', { is_update: 'True', original_memories: ['Lives in Graz.'] })],
            questions: null,
          },
        ],
      },
    ]);
    const { conversations, faults } = load('halumem', path);
    const [user] = conversations;
    expect(user?.memories.map(({ text, until, replacedBy }) => ({ text, until, replacedBy }))).toEqual([
      { text: 'Lives in Graz.', until: 's2.1', replacedBy: 's2.m2' },
      { text: 'Lives in Wels.', until: null, replacedBy: null },
    ]);
    expect(user?.sessions[0]?.start).toEqual(new Date('2025-09-04T21:10:33Z'));
    expect(user?.questions[0]).toMatchObject({ kind: 'single', after: 's1', memories: ['s1.m1'] });
    expect(faults).toEqual(['1 memories of distractors are not expected.', '1 duplicate memories count once.']);
  });
});

describe('files of statements', () => {
  it('[Q10] reads the file of transcripts and expectations in its original format', () => {
    const path = file('expectations.json', [
      {
        transcript: "User: I really hate when my resume sounds like everyone else's.\nAgent: Got it, direct.",
        expected_type: 'preference',
        expected_contains: ['direct'],
        expected_importance_min: 0.6,
      },
    ]);
    const [conversation] = load('expectations', path).conversations;
    expect(conversation?.sessions[0]?.turns.map(({ role, text }) => [role, text])).toEqual([
      ['user', "I really hate when my resume sounds like everyone else's."],
      ['assistant', 'Got it, direct.'],
    ]);
    expect(conversation?.memories[0]).toMatchObject({
      type: 'preference',
      contains: ['direct'],
      minimumImportance: 0.6,
    });
  });

  it('reads transcripts with long turns and without speakers', () => {
    expect(transcriptTurns('Human: one\ntwo\nAI: three').map(({ role, text }) => [role, text])).toEqual([
      ['user', 'one\ntwo'],
      ['assistant', 'three'],
    ]);
    expect(transcriptTurns('I live in Linz.').map(({ role }) => role)).toEqual(['user']);
  });

  it('[T18] reads labelled pairs of query and fact', () => {
    const path = file('pairs.json', {
      facts: ['Likes tea.', { id: 'b', text: 'Lives in Linz.' }],
      queries: [{ query: 'Drink?', relevant: [0] }, { query: 'Shoe size?' }],
    });
    const [conversation] = load('pairs', path).conversations;
    expect(conversation?.facts.map(({ id }) => id)).toEqual(['0', 'b']);
    expect(conversation?.questions.map(({ isAnswerable, evidence }) => [isAnswerable, evidence])).toEqual([
      [true, ['0']],
      [false, []],
    ]);
  });

  it('reads each speaker of Synthetic-Persona-Chat as a user', () => {
    const path = file('personas.jsonl', [
      {
        personas: { 1: ['I ski.'], 2: ['I sew.'] },
        turns: [
          { speaker: 1, text: 'Hi' },
          { speaker: 2, text: 'Hello' },
        ],
      },
    ]);
    expect(
      load('persona-chat', path).conversations.map(({ sessions, memories }) => [
        sessions[0]?.turns.map(({ role }) => role),
        memories[0]?.text,
      ]),
    ).toEqual([
      [['user', 'assistant'], 'I ski.'],
      [['assistant', 'user'], 'I sew.'],
    ]);
  });
});

describe('lives', () => {
  it('come with the repository and need no corrections', () => {
    const { conversations, faults } = loadDataset({ name: 'lives' });
    expect(conversations).toHaveLength(50);
    expect(faults).toEqual([]);
    expect(
      conversations.flatMap(({ questions }) => questions).filter(({ isAnswerable }) => !isAnswerable).length,
    ).toBeGreaterThan(100);
  });

  it('are sampled by the seed', () => {
    const ids = (seed: number): string[] =>
      loadDataset({ name: 'lives', limit: 5, seed }).conversations.map(({ id }) => id);
    expect(ids(1)).toEqual(ids(1));
    expect(ids(1)).toHaveLength(5);
    expect(ids(1)).not.toEqual(ids(2));
  });
});

describe('a data set', () => {
  it('that is missing or broken is refused with its name or path', () => {
    for (const name of (Object.keys(DATASETS) as DatasetName[]).filter((each) => each !== 'lives'))
      expect(() => loadDataset({ name })).toThrow(`The path of the data set ${name} is missing.`);
    expect(() => load('locomo', join(root, 'nowhere.json'))).toThrow('There is no data at');
    expect(() => load('lives', file('broken.json', { id: 1 }))).toThrow('is not a conversation');
  });

  it.each<[DatasetName, string, unknown]>([
    ['lives', 'odd-life.json', { id: 'a' }],
    ['locomo', 'odd-locomo.json', { session_1: [{ speaker: {}, text: 'Hi.' }] }],
    ['longmemeval', 'odd-longmemeval.json', [{ haystack_sessions: 'none' }]],
    ['halumem', 'odd-halumem.jsonl', [{ uuid: 'u', sessions: 3 }]],
    ['persona-chat', 'odd-persona.jsonl', [{ personas: {}, turns: 'none' }]],
    ['expectations', 'odd-expectations.json', [{ expected_type: 'fact' }]],
    ['pairs', 'odd-pairs.json', { facts: [] }],
    ['beam', 'odd-beam/chat.json', [{ turns: [{ role: {}, content: 'Hi.' }] }]],
  ])('%s with a wrong field is refused as bad input, with the name of the file', (name, path, content) => {
    const written = file(path, content);
    const wrong = (): unknown => load(name, name === 'beam' ? dirname(written) : written);
    expect(wrong).toThrow(expect.objectContaining({ code: 'invalid_input', message: expect.stringContaining(path) }));
  });
});

describe('dates', () => {
  it('are read in every format, as UTC', () => {
    expect(
      [
        '12:05 am on 1 May, 2023',
        '1.2.2024',
        '2023/05/20 (Sat) 02:21',
        'March-15-2024',
        '2026-02-03T18:40:00Z',
        'soon',
        '',
      ].map((text) => dateOf(text)?.toISOString() ?? null),
    ).toEqual([
      '2023-05-01T00:05:00.000Z',
      '2024-02-01T00:00:00.000Z',
      '2023-05-20T02:21:00.000Z',
      '2024-03-15T00:00:00.000Z',
      '2026-02-03T18:40:00.000Z',
      null,
      null,
    ]);
  });
});

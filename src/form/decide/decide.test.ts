import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeTable } from '../../record/attribute-table.ts';
import { cpuTime } from '../../../test/cpu-time.ts';
import type { Memory } from '../../record/memory.ts';
import { memoryTypeTable } from '../../record/memory-types.ts';
import type { Relation } from '../read/reader.ts';
import type { Statement } from '../statement.ts';
import { strongerClaim } from './claim-rank.ts';
import { decide, openCandidates, type Candidate, type DecideContext } from './decide.ts';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const context: DecideContext = {
  types: memoryTypeTable({ sighting: { description: 'A bird that the user saw.' } }),
  attributes: attributeTable({ ringing_site: { values: 'one', labels: { en: 'Ringing site' } } }),
  thresholds: { related: 0.7, nearlySame: 0.85, same: 0.92 },
  now: NOW,
};

let ids = 0;

function statement(fields: Partial<Statement>): Statement {
  return {
    subject: 'User',
    attribute: null,
    value: null,
    polarity: 'affirmed',
    tense: 'holds',
    type: 'fact',
    text: `Statement ${(ids += 1)}.`,
    level: 'user',
    timeZone: 'UTC',
    importance: 0.5,
    confidence: 'high',
    trust: 'high',
    sourceType: 'explicit',
    statedAt: new Date(NOW),
    statedBy: 'user',
    quotes: [],
    events: [],
    validFrom: null,
    validTo: null,
    dueAt: null,
    tags: [],
    names: [],
    relation: null,
    ...fields,
  };
}

/** A known memory with the fields of a statement. */
function known(fields: Partial<Statement>): Memory {
  const { text, ...rest } = statement(fields);
  return {
    ...rest,
    id: `mem_${(ids += 1)}`,
    content: text,
    archivedAt: null,
    sourceEvents: [],
    version: 1,
  } as unknown as Memory;
}

const beside = (...memories: Memory[]): Candidate[] => memories.map((memory) => ({ memory, similarity: 0 }));
const earlier = (days: number): Date => new Date(NOW - days * 86_400_000);

describe('decide', () => {
  it('replaces the value of a single-valued attribute, and nothing of another subject or attribute', () => {
    const old = known({ attribute: 'employer', value: 'Halden Foods', statedAt: earlier(30) });
    const others = [
      known({ attribute: 'employer', value: 'Nordlys', subject: "User's sister Ana", statedAt: earlier(30) }),
      known({ attribute: 'hobby', value: 'choir', statedAt: earlier(30) }),
    ];
    const decision = decide(
      statement({ attribute: 'employer', value: 'Marsh & Daughters' }),
      beside(old, ...others),
      context,
    );
    expect(decision).toMatchObject({ action: 'add', retires: [{ memory: old, how: 'replaced' }] });
  });

  it('replaces nothing if a subject such as "aunt" may mean one of several people', () => {
    const lives = (subject: string, value: string): Memory =>
      known({ subject, attribute: 'home_city', value, statedAt: earlier(30) });
    const moves = (subject: string, ...others: Memory[]): Memory[] => {
      const decision = decide(
        statement({ subject, attribute: 'home_city', value: 'Ghent' }),
        beside(...others),
        context,
      );
      return decision.action === 'add' ? decision.retires.map(({ memory }) => memory) : [];
    };
    const [ida, ute, unnamed] = [
      lives("User's aunt Ida", 'Linz'),
      lives("User's aunt Ute", 'Graz'),
      lives("User's aunt", 'Wels'),
    ];
    expect(moves("User's aunt", ida)).toEqual([ida]);
    expect(moves("User's aunt", ida, ute)).toEqual([]);
    expect(moves("User's aunt", ida, ute, unnamed)).toEqual([unnamed]);
    expect(moves("User's aunt Ute", ida, ute, unnamed)).toEqual([ute]);
    // A user may have several neighbours, so even one known neighbour may be another person.
    expect(moves("User's neighbour", lives("User's neighbour", 'Linz'))).toEqual([]);
    expect(moves("User's neighbour", lives("User's neighbour Ida", 'Linz'))).toEqual([]);
  });

  it('[X3] yields to a known statement of higher rank or trust, and to a later one of the same rank', () => {
    const said = known({ attribute: 'home_city', value: 'Linz', statedAt: earlier(3) });
    for (const weaker of [
      { sourceType: 'conversation' },
      { sourceType: 'inference' },
      { trust: 'low' },
      { statedAt: earlier(10) },
    ] as const) {
      expect(
        decide(statement({ attribute: 'home_city', value: 'Graz', ...weaker }), beside(said), context),
      ).toMatchObject({
        action: 'yield',
        to: said,
      });
    }
  });

  it('keeps all values of a many-valued attribute and of an unknown attribute', () => {
    for (const attribute of ['allergy', 'leadership_style']) {
      const decision = decide(
        statement({ attribute, value: 'kiwi' }),
        beside(known({ attribute, value: 'pollen', statedAt: earlier(9) })),
        context,
      );
      expect(decision).toMatchObject({ action: 'add', retires: [] });
    }
  });

  it('takes little processor time to compare with a thousand values', () => {
    const likes = Array.from({ length: 1000 }, (_, index) =>
      known({ attribute: 'likes', value: `band ${index}`, statedAt: earlier(9) }),
    );
    const next = statement({ attribute: 'likes', value: 'the Kelpies' });
    expect(cpuTime(() => decide(next, beside(...likes), context))).toBeLessThan(400);
  });

  it('takes little processor time to compare with a thousand statements about a person whose name is only in those statements', () => {
    const subject = "User's brother Ravi";
    const plays = Array.from({ length: 1000 }, (_, index) =>
      known({ subject, attribute: 'likes', value: `band ${index}`, statedAt: earlier(9) }),
    );
    const next = statement({ subject: "User's brother", attribute: 'likes', value: 'the Kelpies' });
    expect(cpuTime(() => decide(next, beside(...plays), context))).toBeLessThan(400);
  });

  it('follows the policy of an application’s own attribute', () => {
    const old = known({ attribute: 'ringing_site', value: 'the reed bed', statedAt: earlier(9) });
    const decision = decide(statement({ attribute: 'ringing_site', value: 'the old quarry' }), beside(old), context);
    expect(decision).toMatchObject({ action: 'add', retires: [{ how: 'replaced' }] });
  });

  it('confirms the same value in another spelling, and takes over a longer form of the value', () => {
    const city = known({ attribute: 'home_city', value: 'Linz', text: 'User lives in Linz.', statedAt: earlier(9) });
    expect(
      decide(statement({ attribute: 'home_city', value: 'linz', text: 'Lives in Linz' }), beside(city), context),
    ).toMatchObject({ action: 'confirm' });
    const more = statement({
      attribute: 'home_city',
      value: 'Linz, Austria',
      text: 'User lives in Linz, Austria, near the river.',
    });
    expect(decide(more, beside(city), context)).toMatchObject({ action: 'revise', target: city });
    const pay = known({
      attribute: 'salary',
      value: '40,000',
      text: 'User earns 40,000 a year.',
      statedAt: earlier(9),
    });
    expect(decide(statement({ attribute: 'salary', value: '40k' }), beside(pay), context)).toMatchObject({
      action: 'confirm',
    });
  });

  it('ends only the value that a denial names, or all values if it names none', () => {
    const [car, bike] = [
      known({ attribute: 'owns', value: 'a kayak', statedAt: earlier(9) }),
      known({ attribute: 'owns', value: 'a tandem', statedAt: earlier(9) }),
    ];
    const sold = statement({ attribute: 'owns', value: 'kayak', polarity: 'denied' });
    expect(decide(sold, beside(car, bike), context)).toMatchObject({
      action: 'add',
      retires: [{ memory: car, how: 'ended' }],
    });
    const pets = [
      known({ attribute: 'pet_name', value: 'Olga', statedAt: earlier(9) }),
      known({ attribute: 'pet_name', value: 'Pim', statedAt: earlier(9) }),
    ];
    const none = statement({ attribute: 'pet_name', value: null, polarity: 'denied' });
    expect(decide(none, beside(...pets), context)).toMatchObject({
      action: 'add',
      retires: [{ how: 'ended' }, { how: 'ended' }],
    });
  });

  it('ends nothing by denying a narrower value, or by denying a taste without naming a value', () => {
    const denies = (attribute: string, denied: string | null, affirmed: string): string => {
      const holds = known({ attribute, value: affirmed, statedAt: earlier(9) });
      const decision = decide(statement({ attribute, value: denied, polarity: 'denied' }), beside(holds), context);
      return decision.action === 'add' ? decision.retires.map(({ how }) => how).join() : decision.action;
    };
    expect(denies('allergy', 'nut oil', 'nut')).toBe('');
    expect(denies('allergy', 'nut', 'nut oil')).toBe('ended');
    expect(denies('home_city', 'Ghent, Belgium', 'Ghent')).toBe('ended');
    expect(denies('bike', 'Brompton P Line', 'Brompton')).toBe('ended');
    expect(denies('address', 'Kaai 3, Ghent', 'Kaai 3')).toBe('ended');
    expect(denies('medication', 'levothyroxine 0,1 mg a day', 'levothyroxine')).toBe('ended');
    expect(denies('medication', 'iron drops', 'iron')).toBe('');
    expect(denies('medication', 'metformin any more', 'metformin')).toBe('ended');
    expect(denies('likes', null, 'chess')).toBe('');
    expect(denies('answer_format', null, 'metric units')).toBe('');
    expect(denies('allergy', null, 'nut')).toBe('ended');
  });

  it('ends or replaces a statement about another subject when the reader says so', () => {
    const wish = known({
      subject: "User's nephew Ari",
      attribute: 'wish',
      value: 'a red kite',
      statedAt: earlier(9),
    });
    const said = (kind: 'ends' | 'replaces'): Statement =>
      statement({ text: 'Ari flew the red kite all day.', tense: 'happened', relation: { kind, target: wish } });
    expect(decide(said('ends'), [], context)).toMatchObject({
      action: 'add',
      retires: [{ memory: wish, how: 'ended' }],
    });
    expect(decide(said('replaces'), [], context)).toMatchObject({ retires: [{ memory: wish, how: 'replaced' }] });
    const chair = known({ subject: 'Mr Ferris', attribute: 'chair_of_the_club', value: 'Mr Ferris' });
    const next = statement({
      subject: 'Mrs Oduya',
      attribute: 'chair_of_the_club',
      value: 'Mrs Oduya',
      relation: { kind: 'replaces', target: chair },
    });
    expect(decide(next, [], context)).toMatchObject({ action: 'add', retires: [{ memory: chair, how: 'replaced' }] });
    // A statement about another person never replaces the user's own value of the same attribute.
    const own = known({ attribute: 'employer', value: 'Halden Foods' });
    const other = statement({
      subject: "User's sister Ana",
      attribute: 'employer',
      value: 'Nordlys',
      relation: { kind: 'replaces', target: own },
    });
    expect(decide(other, [], context)).toMatchObject({ action: 'add', retires: [] });
  });

  it('lets a statement about another person replace a temporary state of the user, but no value of a built-in attribute', () => {
    const told = (target: Memory): Statement =>
      statement({
        subject: "User's apprentice Noor",
        attribute: 'apprenticeship',
        value: 'second year',
        relation: { kind: 'replaces', target },
      });
    const waiting = known({ type: 'context', text: 'User waits for Noor’s answer.', statedAt: earlier(9) });
    const search = known({ attribute: 'apprentice_search', value: 'two candidates', statedAt: earlier(9) });
    for (const target of [waiting, search])
      expect(decide(told(target), [], context)).toMatchObject({ retires: [{ memory: target, how: 'replaced' }] });
    // "User · colleague = Noor" is also a statement about Noor, so a statement about Noor may replace it.
    const colleague = known({ attribute: 'colleague', value: 'Noor', statedAt: earlier(9) });
    expect(decide(told(colleague), [], context)).toMatchObject({ retires: [{ memory: colleague, how: 'replaced' }] });
    // A statement that does not name Noor cannot replace it: the reader has given a wrong number.
    const slip = statement({ attribute: 'skill', value: 'oars', relation: { kind: 'replaces', target: colleague } });
    expect(decide(slip, [], context)).toMatchObject({ action: 'add', retires: [] });
    const son = { ...known({ attribute: 'child_name', value: 'Noor', statedAt: earlier(9) }), permanent: true };
    expect(decide(told(son), [], context)).toMatchObject({ retires: [] });
    const likes = known({ attribute: 'likes', value: 'teaching', statedAt: earlier(9) });
    const plain = known({ text: 'User teaches on Mondays.', statedAt: earlier(9) });
    for (const target of [likes, plain]) expect(decide(told(target), [], context)).toMatchObject({ retires: [] });
  });

  it('[K18] closes an expired statement when the reader reports its outcome, and adds a new statement when the user repeats it', () => {
    const ranOut = (fields: Partial<Statement>, archiveReason: Memory['archiveReason'] = 'expired'): Memory => ({
      ...known({ statedAt: earlier(60), ...fields }),
      archivedAt: earlier(10),
      archiveReason,
    });
    const interview = ranOut({ type: 'intention', tense: 'planned', text: 'User has an interview at Brightline.' });
    const search = ranOut({ type: 'context', text: 'User is looking for a flat.' });
    const said = (kind: Relation, target: Memory): Statement => statement({ relation: { kind, target } });
    const how = (kind: Relation, target: Memory): unknown => {
      const decision = decide(said(kind, target), [], context);
      return 'retires' in decision ? decision.retires?.map((each) => each.how) : decision.action;
    };
    expect(how('reaches', interview)).toEqual(['reached']);
    expect(how('replaces', interview)).toEqual(['replaced']);
    expect(how('ends', search)).toEqual(['ended']);
    expect(how('reaches', search)).toEqual(['replaced']);
    expect(how('repeats', search)).toEqual(['merged']);
    expect(how('extends', search)).toEqual(['merged']);
    // A statement that was forgotten, replaced or contradicted is not changed.
    for (const reason of ['forgotten', 'superseded', 'contradicted'] as const)
      expect(how('replaces', ranOut({ type: 'intention', tense: 'planned' }, reason))).toEqual([]);
  });

  it('replaces a statement by its longer form under another attribute, except a value of a built-in attribute', () => {
    const part = known({ attribute: 'boat_kind', value: 'dinghy', text: 'User has a dinghy.', statedAt: earlier(9) });
    const whole = (target: Memory): Statement =>
      statement({
        attribute: 'boat_name',
        value: 'Marigold',
        text: 'User has a dinghy, the Marigold.',
        relation: { kind: 'extends', target },
      });
    expect(decide(whole(part), [], context)).toMatchObject({
      action: 'add',
      retires: [{ memory: part, how: 'merged' }],
    });
    const home = known({ attribute: 'home_city', value: 'Falmouth', text: 'User lives in Falmouth.' });
    expect(decide(whole(home), [], context)).toMatchObject({ action: 'add', retires: [] });
  });

  it('replaces a statement without an attribute by its longer form, which also retires the values that it excludes', () => {
    const vague = known({ text: 'User works in a bakery.', statedAt: earlier(9) });
    const other = known({ attribute: 'employer', value: 'Norsted', statedAt: earlier(30) });
    const named = { attribute: 'employer', value: 'Brill', relation: { kind: 'extends', target: vague } } as const;
    expect(decide(statement(named), beside(vague, other), context)).toMatchObject({
      action: 'add',
      retires: [
        { memory: vague, how: 'merged' },
        { memory: other, how: 'replaced' },
      ],
    });
  });

  it('a plan replaces nothing before its day, even if the reader says that it does (F4)', () => {
    const job = known({ attribute: 'employer', value: 'Halden Foods', statedAt: earlier(30) });
    const plan = statement({
      attribute: 'employer',
      value: 'Nordlys',
      tense: 'planned',
      validFrom: new Date(NOW + 20 * 86_400_000),
    });
    expect(decide(plan, beside(job), context)).toMatchObject({ action: 'add', retires: [] });
    const later = { action: 'add', retires: [], retiresLater: job };
    expect(decide({ ...plan, relation: { kind: 'replaces', target: job } }, beside(job), context)).toMatchObject(later);
    expect(decide(plan, beside(job), context, { action: 'replace', target: job.id })).toMatchObject(later);
  });

  it('a state does not replace a plan before the day of the plan, and replaces it from that day on (F4)', () => {
    const inDays = (days: number): Memory =>
      known({
        attribute: 'employer',
        value: 'Nordlys',
        tense: 'planned',
        validFrom: new Date(NOW + days * 86_400_000),
        statedAt: earlier(30),
      });
    const job = statement({ attribute: 'employer', value: 'Halden Foods' });
    expect(decide(job, beside(inDays(20)), context)).toMatchObject({ action: 'add', retires: [] });
    expect(decide(job, beside(inDays(-2)), context)).toMatchObject({ action: 'add', retires: [{ how: 'replaced' }] });
  });

  it('a repeated value that a plan has already excluded is never retired by itself', () => {
    const home = known({ attribute: 'home_city', value: 'Linz', statedAt: earlier(60) });
    // The day of the plan has come, and the job that puts it into effect has not run yet.
    const times = { tense: 'planned', validFrom: earlier(10), statedAt: earlier(50) } as const;
    const plan = known({ attribute: 'home_city', value: 'Bristol', ...times });
    const repeated = statement({ attribute: 'home_city', value: 'Linz', sourceType: 'conversation' });
    expect(decide(repeated, beside(home, plan), context)).toEqual({ action: 'confirm', target: home });
  });

  it('keeps two habits with the same value if their days or times differ', () => {
    const habit = { attribute: 'sport', value: 'rowing', tense: 'habit' } as const;
    const first = known({ ...habit, text: 'User rows on Mondays after work.' });
    const second = statement({ ...habit, text: 'User rows on Saturdays at 7.' });
    expect(decide(second, beside(first), context)).toEqual({ action: 'add', retires: [] });
    const again = statement({ ...habit, text: 'User rows on Mondays.' });
    expect(decide(again, beside(first), context)).toMatchObject({ action: 'confirm' });
  });

  it.each([
    ['El usuario rema los lunes.', 'El usuario rema los sábados.'],
    ['L’utilisateur rame le lundi.', 'L’utilisateur rame le samedi.'],
    ['Rudert immer montags am Montag.', 'Rudert immer am Samstag.'],
    ['月曜日にボートを漕ぐ。', '土曜日にボートを漕ぐ。'],
  ])('keeps the habits %j and %j apart by their days', (one, other) => {
    const habit = { attribute: 'sport', value: 'rowing', tense: 'habit' } as const;
    const first = known({ ...habit, text: one });
    expect(decide(statement({ ...habit, text: other }), beside(first), context).action).toBe('add');
    expect(decide(statement({ ...habit, text: one }), beside(first), context).action).toBe('confirm');
  });

  it('adds a past event with another date, and confirms a known event if the dates differ only in precision', () => {
    const trip = (from: string): Partial<Statement> => ({
      attribute: 'travel_destination',
      value: 'Oslo',
      tense: 'happened',
      validFrom: new Date(from),
    });
    const told = (before: string, after: string): string =>
      decide(statement(trip(after)), beside(known({ ...trip(before), statedAt: earlier(9) })), context).action;
    expect(told('2023-08-01', '2025-08-01')).toBe('add');
    expect(told('2023-08-04', '2023-08-19')).toBe('add');
    expect(told('2023-08-01', '2023-08-19')).toBe('confirm');
    expect(told('2023-08-19', '2023-01-01')).toBe('confirm');
  });

  it('never lets a past event replace a state, or a state replace a past event', () => {
    const past = known({ attribute: 'employer', value: 'Post', tense: 'happened', statedAt: earlier(9) });
    expect(decide(statement({ attribute: 'employer', value: 'Nordlys' }), beside(past), context)).toMatchObject({
      action: 'add',
      retires: [],
    });
    const job = known({ attribute: 'employer', value: 'Nordlys', statedAt: earlier(9) });
    expect(
      decide(statement({ attribute: 'employer', value: 'Post', tense: 'happened' }), beside(job), context),
    ).toMatchObject({ action: 'add', retires: [] });
  });

  it('follows the reader’s relation only when subject and rank allow it', () => {
    const taste = known({ text: 'User likes rye bread.', statedAt: earlier(9) });
    const next = statement({
      text: 'User cannot stand rye bread any more.',
      relation: { kind: 'replaces', target: taste },
    });
    expect(decide(next, [], context)).toMatchObject({ action: 'add', retires: [{ memory: taste, how: 'replaced' }] });
    expect(decide({ ...next, subject: "User's son Ivo" }, [], context)).toMatchObject({ action: 'add', retires: [] });
    expect(decide({ ...next, sourceType: 'inference' }, [], context)).toMatchObject({ action: 'yield', to: taste });
  });

  it('takes over the words that say that a plan came true, if the plan has become a state on its day', () => {
    const job = { attribute: 'job_title', value: 'ferry pilot' };
    const begun = known({ ...job, text: 'User starts as a ferry pilot on 1 May 2026.', statedAt: earlier(60) });
    const reached = statement({
      ...job,
      text: 'User is a ferry pilot since 1 May 2026 and enjoys it.',
      relation: { kind: 'reaches', target: begun },
    });
    expect(decide(reached, beside(begun), context)).toEqual({ action: 'revise', target: begun, text: reached.text });
  });

  it('marks a goal, a plan or a temporary state as reached only when the reader says so', () => {
    const goal = known({ type: 'goal', text: 'User wants to buy a smokehouse.', statedAt: earlier(90) });
    const bought = statement({ text: 'User bought a smoked ham in Bergen.', type: 'episode', tense: 'happened' });
    expect(decide(bought, [{ memory: goal, similarity: 0.84 }], context)).toMatchObject({ action: 'add', retires: [] });
    const reached = statement({
      text: 'User bought the smokehouse.',
      tense: 'happened',
      relation: { kind: 'reaches', target: goal },
    });
    expect(decide(reached, [], context)).toMatchObject({ action: 'add', retires: [{ memory: goal, how: 'reached' }] });
    expect(decide({ ...reached, relation: { kind: 'reaches', target: known({}) } }, [], context)).toMatchObject({
      action: 'add',
      retires: [],
    });
    // The targets are a plan whose day has passed, a situation, and a plan of another person.
    for (const target of [
      known({ text: 'User has the smokehouse surveyed.', tense: 'happened', dueAt: earlier(2) }),
      known({ type: 'context', text: 'User is looking for a smokehouse.' }),
      known({ subject: "User's brother Per", text: 'Per plans to buy a smokehouse.', tense: 'planned' }),
    ]) {
      const decision = decide({ ...reached, relation: { kind: 'reaches', target } }, [], context);
      expect(decision).toMatchObject({ action: 'add', retires: [{ memory: target, how: 'replaced' }] });
    }
  });

  it('confirms a statement of nearly identical meaning, unless a field differs (F13)', () => {
    const wish = known({
      type: 'preference',
      text: 'User wants meeting notes as bullet points.',
      statedAt: earlier(9),
    });
    const again = statement({ type: 'preference', text: 'User prefers notes of meetings in bullet points.' });
    expect(decide(again, [{ memory: wish, similarity: 0.95 }], context)).toMatchObject({
      action: 'confirm',
      target: wish,
    });
    for (const apart of [
      { text: 'User wants no meeting notes as bullet points.' },
      { subject: "User's boss Mira" },
      { polarity: 'denied' },
      { tense: 'happened' },
    ] as const) {
      expect(
        decide(
          statement({ type: 'preference', text: again.text, ...apart }),
          [{ memory: wish, similarity: 0.95 }],
          context,
        ),
      ).toMatchObject({ action: 'add', retires: [] });
    }
    const shift = known({ text: 'User works the late shift on Tuesday.', statedAt: earlier(9) });
    const other = statement({ text: 'User works the late shift on Friday.' });
    expect(decide(other, [{ memory: shift, similarity: 0.97 }], context)).toMatchObject({ action: 'add', retires: [] });
  });

  it('[E5] follows a verdict about a pair that fields do not decide, and asks only about such pairs', () => {
    const open = known({ text: 'User keeps bees behind the barn.', statedAt: earlier(9) });
    const next = statement({ text: 'User has three hives by the barn.' });
    const candidates = [{ memory: open, similarity: 0.8 }];
    expect(openCandidates(next, candidates, { ...context, shown: new Set() })).toEqual([open]);
    const far = [{ memory: open, similarity: 0.69 }];
    expect(openCandidates(next, far, { ...context, shown: new Set() })).toEqual([]);
    expect(openCandidates(next, candidates, { ...context, shown: new Set([open.id]) })).toEqual([]);
    expect(decide(next, candidates, context)).toMatchObject({ action: 'add', retires: [] });
    expect(decide(next, candidates, context, { action: 'confirm', target: open.id })).toEqual({
      action: 'confirm',
      target: open,
    });
    expect(decide(next, candidates, context, { action: 'replace', target: open.id })).toMatchObject({
      action: 'add',
      retires: [{ how: 'replaced' }],
    });
    expect(decide(next, candidates, context, { action: 'replace', target: 'mem_unknown' })).toMatchObject({
      action: 'add',
      retires: [],
    });
  });

  // For the property tests: applies the decision about each statement in turn, and returns the statements that are live at the end.
  const live = (statements: readonly Statement[]): Memory[] => {
    let memories: Memory[] = [];
    const archive = (id: string, by: string): void => {
      memories = memories.map((each) =>
        each.id === id ? { ...each, archivedAt: new Date(NOW), contradictedBy: by } : each,
      );
    };
    const restore = (restored: readonly Memory[] = []): void => {
      const ids = new Set(restored.map(({ id }) => id));
      memories = memories.map((each) => (ids.has(each.id) ? { ...each, archivedAt: null } : each));
    };
    for (const next of statements) {
      const decision = decide(next, beside(...memories), context);
      const memory = { ...known(next), content: next.text };
      if (decision.action === 'add' || decision.action === 'yield') {
        memories = [...memories, memory];
        for (const { memory: gone } of decision.retires ?? []) archive(gone.id, memory.id);
        if (decision.action === 'yield') archive(memory.id, decision.to.id);
        restore(decision.restores);
      }
      if (decision.action === 'confirm') {
        const claim = strongerClaim(next, decision.target);
        memories = memories.map((each) => (each.id === decision.target.id ? { ...each, ...claim } : each));
        for (const { memory: gone } of decision.retires ?? []) archive(gone.id, decision.target.id);
        restore(decision.restores);
      }
    }
    return memories.filter(({ archivedAt }) => archivedAt === null);
  };
  const subjects = fc.constantFrom('User', "User's sister Ana", 'the Rotterdam order');
  const attributes = fc.constantFrom('employer', 'home_city', 'allergy', 'unheard_of');
  const arbitrary = fc.record({
    subject: subjects,
    attribute: attributes,
    value: fc.constantFrom('Alpha', 'Beta', 'Gamma'),
    polarity: fc.constantFrom('affirmed' as const, 'denied' as const),
    sourceType: fc.constantFrom('explicit' as const, 'conversation' as const, 'inference' as const),
    day: fc.integer({ min: 1, max: 400 }),
  });

  const claimOf = ({
    subject,
    attribute,
    value,
    polarity,
  }: Pick<Memory, 'subject' | 'attribute' | 'value' | 'polarity'>) => [subject, attribute, value, polarity].join(' · ');

  it('a sequence of statements about different subjects or attributes retires nothing', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(arbitrary, { selector: ({ subject, attribute }) => `${subject} ${attribute}` }),
        (given) => {
          const statements = given.map(({ day, ...fields }) => statement({ ...fields, statedAt: earlier(day) }));
          expect(live(statements)).toHaveLength(statements.length);
        },
      ),
    );
  });

  it('the order of arrival does not change what holds at the end', () => {
    fc.assert(
      fc.property(
        fc
          // The sequences contain repeated claims. A claim that is made twice is one record.
          .uniqueArray(arbitrary, { selector: ({ day }) => day, maxLength: 8 })
          .chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length }))),
        ([given, shuffled]) => {
          const holds = (some: typeof given): string[] =>
            live(some.map(({ day, ...fields }) => statement({ ...fields, statedAt: earlier(day) })))
              .map(claimOf)
              .sort();
          expect(holds(shuffled)).toEqual(holds(given));
        },
      ),
      { numRuns: 10_000 },
    );
  });

  it('the earlier of two equal claims excludes a contradicting statement that was made between them', () => {
    const fields = { subject: 'User', attribute: 'home_city', polarity: 'affirmed', sourceType: 'inference' } as const;
    const [denied, alpha, beta, again] = [
      statement({ ...fields, value: 'Beta', polarity: 'denied', sourceType: 'explicit', statedAt: earlier(5) }),
      statement({ ...fields, value: 'Alpha', statedAt: earlier(4) }),
      statement({ ...fields, value: 'Beta', statedAt: earlier(3) }),
      statement({ ...fields, value: 'Beta', polarity: 'denied', sourceType: 'explicit', statedAt: earlier(2) }),
    ] as const;
    const both = ['User · home_city · Alpha · affirmed', 'User · home_city · Beta · denied'];
    expect(live([denied, alpha, beta, again]).map(claimOf).sort()).toEqual(both);
    expect(live([alpha, denied, again, beta]).map(claimOf).sort()).toEqual(both);
  });

  it('a value that was replaced holds again after its replacement was denied, if a later and weaker claim states the value again', () => {
    const fields = { subject: 'User', attribute: 'home_city', polarity: 'affirmed', sourceType: 'explicit' } as const;
    const [alpha, beta, denied, again] = [
      statement({ ...fields, value: 'Alpha', statedAt: earlier(5) }),
      statement({ ...fields, value: 'Beta', statedAt: earlier(4) }),
      statement({ ...fields, value: 'Beta', polarity: 'denied', statedAt: earlier(3) }),
      statement({ ...fields, value: 'Alpha', sourceType: 'inference', statedAt: earlier(2) }),
    ] as const;
    const affirmed = (some: readonly Statement[]): unknown[] =>
      live(some).flatMap(({ value, polarity }) => (polarity === 'affirmed' ? [value] : []));
    expect(affirmed([alpha, beta, denied, again])).toEqual(['Alpha']);
    expect(affirmed([alpha, denied, again, beta])).toEqual(['Alpha']);
    expect(affirmed([alpha, denied, beta])).toEqual([]);
  });

  it('a statement holds again when the statement that excluded it is retired', () => {
    const fields = { subject: 'User', attribute: 'employer', polarity: 'affirmed', sourceType: 'explicit' } as const;
    const [beta, gamma, denied, alpha] = [
      statement({ ...fields, value: 'Beta', sourceType: 'conversation', statedAt: earlier(306) }),
      statement({ ...fields, value: 'Gamma', statedAt: earlier(269) }),
      statement({ ...fields, value: 'Gamma', polarity: 'denied', statedAt: earlier(110) }),
      statement({ ...fields, value: 'Alpha', sourceType: 'inference', statedAt: earlier(5) }),
    ] as const;
    const values = (some: readonly Statement[]): string[] =>
      live(some)
        .map(({ value }) => `${value}`)
        .sort();
    expect(values([beta, alpha, denied, gamma])).toEqual(values([beta, gamma, denied, alpha]));
  });
});

import { contentHash } from '../../record/id.ts';
import { lexicalSimilarity } from '../../language/words.ts';
import { ownerOf } from '../../record/scope.ts';
import { lengthOf, normalValue } from '../../record/statement.ts';
import { quotesMeet } from '../../store/forget/forgotten-store.ts';
import { listSubjects } from '../../store/read-memories.ts';
import { checkRequests } from '../apply/requests.ts';
import { nearnessTo, unrelatedChanges, unrelatedTarget } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import { isMendable } from '../read/model-reader.ts';
import type { ReadTurns } from '../read/read-turns.ts';
import { type ReadInput, type ReadStatement, type Refusal, refusal, toolEpisodes } from '../read/reader.ts';
import type { CheckedForget, CheckedRequests, Statement } from '../statement.ts';
import { changedByTurns } from './changed-statements.ts';
import { type Checked, checkStatements, withoutIndex } from './check.ts';
import { type CheckContext, isQuoted, saidWith, unsharedSources } from './evidence.ts';

export interface CheckedReading {
  statements: Statement[];
  requests: CheckedRequests;
  refused: Refusal[];
}

/** Resolves dates, names and attributes of everything that was read, and refuses what the quoted turns do not support. */
export async function checkReading(work: FormWork, { input, reading }: ReadTurns): Promise<CheckedReading> {
  const { deps, scope, events } = work;
  const isModel = work.reader.kind === 'model';
  const context: CheckContext = {
    ...deps,
    ...input,
    scope,
    events,
    recalled: isModel ? await deps.recalledTexts?.(scope) : [],
    subjects: await deps.database.read(scope.tenant, (store) => listSubjects(store, ownerOf(scope))),
    isLocal: !isModel,
  };
  const changed = deps.settings.facts ? await changedByTurns(work, reading, context) : { ends: [], corrections: [] };
  const isAsked = reading.ends.length + reading.forgets.length > 0;
  const asked = isAsked ? await checkRequests(work, reading, context) : { ends: [], forgets: [], refused: [] };
  const first = await checkRelated(work, [...reading.statements, ...changed.corrections], context);
  const endless = asked.refused.filter(({ reason, detail }) => reason === 'unknown_target' && detail !== null);
  const checked = await amended(work, input, first, { ...context, endless });
  const episodes = checkStatements(toolEpisodes(events), { ...context, isLocal: true });
  const { statements, requests } = withinRetired(work, {
    statements: [...checked.statements, ...episodes.statements].filter((one) => !isRequest(one, asked.forgets)),
    requests: { ...asked, ends: [...asked.ends, ...changed.ends] },
  });
  return { statements, requests, refused: [...checked.refused.map(withoutIndex), ...requests.refused] };
}

/** Whether a statement only repeats what a turn asks to forget: "please drop my old number". */
function isRequest({ quotes, events, value }: Statement, forgets: readonly CheckedForget[]): boolean {
  const isSaid = value !== null && isQuoted(value, quotes, events);
  return forgets.some(({ told }) => {
    const asking = (told?.asking ?? []).filter((each) => quotesMeet(quotes, [each]));
    if (asking.length === 0) return false;
    if (isSaid) return asking.some(({ text }) => normalValue(text).includes(normalValue(value)));
    return lengthOf(asking) * 2 >= lengthOf(quotes);
  });
}

/**
 * Below this cosine, a statement and a text have nothing in common. Measured with earlier vectors and a threshold of .12: a fifth of random
 * pairs was below it, and 30 of 936 recorded statements share no word with their turn, all above .137 to that turn or one before it.
 */
const LEAST_RELATED = 0.17;

/** If a model's statement shares no word with its sources, it must be close in meaning to one of them. */
async function checkRelated(work: FormWork, read: readonly ReadStatement[], context: CheckContext): Promise<Checked> {
  if (context.isLocal) return checkStatements(read, context);
  const unrelated = new Set<ReadStatement>();
  const told: ReadStatement[] = [];
  for (const statement of read) {
    const sources = unsharedSources(statement, context);
    // A statement that shares no word with its sources was inferred.
    const each = sources === null ? statement : { ...statement, explicit: false };
    told.push(each);
    const nearness = sources === null ? null : await nearnessTo(work, statement.text, sources);
    if (nearness?.every(({ cosine }) => cosine < LEAST_RELATED) === true) unrelated.add(each);
  }
  return withoutUnrelated(work, checkStatements(told, { ...context, unrelated }), context);
}

async function withoutUnrelated(work: FormWork, checked: Checked, context: CheckContext): Promise<Checked> {
  const changes = checked.statements.flatMap((statement) => {
    const { relation, attribute, subject, text, events } = statement;
    const target = relation?.target;
    const isSameMatter = attribute !== null && attribute === target?.attribute && subject === target.subject;
    return target === undefined || isSameMatter
      ? []
      : [{ statement, target, said: [...saidWith(events, context), text] }];
  });
  const unrelated = await unrelatedChanges(work, changes);
  const isUnrelated = (statement: Statement): boolean => unrelated.some((each) => each.statement === statement);
  return {
    statements: checked.statements.map((each) => (isUnrelated(each) ? { ...each, relation: null } : each)),
    refused: [
      ...checked.refused,
      ...unrelated.map(({ target, statement }) => ({ ...unrelatedTarget(target, statement.events), index: -1 })),
    ],
  };
}

/** Tells a model once which items were refused. An item that is refused again stays refused. */
async function amended(
  work: FormWork,
  input: ReadInput,
  checked: Checked,
  context: CheckContext & { endless: readonly Refusal[] },
): Promise<Checked> {
  const all = [...checked.refused, ...context.endless.map((each) => ({ ...each, index: -1 }))];
  const mendable = all.filter((each) => isMendable(each) && each.text !== null && each.text !== '');
  if (work.reader.amend === undefined || mendable.length === 0) return checked;
  const again = await checkRelated(work, await work.reader.amend(input, mendable, { signal: work.signal }), context);
  // A model may repeat its whole answer, so only new items are corrections.
  const passed = new Set(checked.statements.map(({ text }) => contentHash(text)));
  const mended = again.statements.filter(({ text }) => !passed.has(contentHash(text)));
  const left = [...mendable];
  for (const { text } of mended) {
    const likeness = left.map((refusal) => lexicalSimilarity(text, refusal.text ?? ''));
    left.splice(likeness.indexOf(Math.max(...likeness)), 1);
  }
  const refused = checked.refused.filter((refusal) => !mendable.includes(refusal) || left.includes(refusal));
  return { statements: [...checked.statements, ...mended], refused };
}

type Retiring = Pick<CheckedReading, 'statements' | 'requests'>;

/**
 * Limits how many known statements one reading may end or replace: `limits.retired`, or the number of user turns if that is higher. Above
 * the limit, all ends are refused, and replacing statements are compared by their fields alone.
 */
function withinRetired({ deps, events }: FormWork, { statements, requests }: Retiring): Retiring {
  const retires = ({ relation }: Statement): boolean => relation?.kind === 'replaces' || relation?.kind === 'ends';
  const most = Math.max(deps.settings.limits.retired, events.filter(({ origin }) => origin === 'user').length);
  if (statements.filter(retires).length + requests.ends.length <= most) return { statements, requests };
  const refused = requests.ends.map(({ target, evidence }) =>
    refusal('end', 'excess', target.content, { events: [evidence.event] }),
  );
  return {
    statements: statements.map((statement) => (retires(statement) ? { ...statement, relation: null } : statement)),
    requests: { ...requests, ends: [], refused: [...requests.refused, ...refused] },
  };
}

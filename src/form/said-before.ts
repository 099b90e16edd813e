import { splitSentences } from '../language/sentences.ts';
import type { Event } from '../record/event.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Quote } from '../record/statement.ts';
import type { Reader } from '../store/database.ts';
import { toEvent } from '../store/event-store.ts';
import { embedTexts, ownerOf } from './compare.ts';
import { type Meanable, namesNothing } from './meant-by-request.ts';
import type { FormDeps } from './formation-settings.ts';
import type { CheckedForget } from './statement.ts';
import type { Meter } from '../ledger/meter.ts';
import { calibratedSimilarity } from '../models/calibration.ts';

/** A sentence of the user's own, and where it stands. */
export interface SaidSentence extends Meanable {
  quote: Quote;
}

const MOST_TURNS = 200;

/** What the user has said up to a turn, sentence by sentence, the latest turn first: what never became a memory is found there. */
export async function saidBefore(reader: Reader, owner: Scope, event: Event): Promise<SaidSentence[]> {
  const rows = await reader
    .selectFrom('events')
    .selectAll()
    .where('tenant_id', '=', owner.tenant)
    .where('owner_key', '=', ownerKey(owner))
    .where('kind', '=', 'message')
    .where('origin', '=', 'user')
    .where('occurred_at', '<=', event.occurredAt.getTime())
    .orderBy('row_id', 'desc')
    .limit(MOST_TURNS)
    .execute();
  return rows.map(toEvent).flatMap(({ id, content, occurredAt }) =>
    splitSentences(content).map(({ text, span }) => ({
      attribute: null,
      value: null,
      content: text,
      statedAt: occurredAt,
      quote: { event: id, start: span.start, end: span.end },
    })),
  );
}

const MOST_COMPARED = 40;
/** How near a sentence must be to what a request names, and how much nearer than the next one: else nothing is meant for certain. */
const NEAR = 0.6;
const AHEAD = 0.05;

/** Requests, each with the sentence of the user's that is nearest in meaning: "my salary" finds "I make 90k". */
export async function withNearest(
  { deps, scope, meter, signal }: { deps: FormDeps; scope: Scope; meter: Meter; signal?: AbortSignal },
  forgets: readonly CheckedForget[],
): Promise<CheckedForget[]> {
  const open = forgets.filter(
    ({ request, targets }) =>
      request.takenBack !== true && targets.length === 0 && !namesNothing(request.about, deps.attributes),
  );
  if (open.length === 0) return [...forgets];
  const found = new Map<CheckedForget, Quote | null>();
  for (const asked of open) {
    const { event } = asked.evidence;
    const said = (await deps.database.read(scope.tenant, (reader) => saidBefore(reader, ownerOf(scope), event)))
      .filter(({ quote }) => quote.event !== event.id)
      .slice(0, MOST_COMPARED);
    const texts = [asked.request.about, ...said.map(({ content }) => content)];
    const vectors = said.length === 0 ? null : await embedTexts(deps, { texts, tenant: scope.tenant, meter, signal });
    const query = vectors?.of[0];
    if (vectors === null || query === undefined) continue;
    const ranked = said
      .map(({ quote }, index) => {
        const cosine = (vectors.of[index + 1] as Float32Array).reduce(
          (sum, each, at) => sum + each * (query[at] ?? 0),
          0,
        );
        return { quote, similarity: calibratedSimilarity(cosine, vectors.calibration) };
      })
      .toSorted((left, right) => right.similarity - left.similarity);
    const [first, second] = ranked;
    const isClear = (first?.similarity ?? 0) >= NEAR && (first?.similarity ?? 0) >= (second?.similarity ?? 0) + AHEAD;
    found.set(asked, isClear ? (first?.quote ?? null) : null);
  }
  return forgets.map((asked) => ({ ...asked, nearest: found.get(asked) ?? null }));
}

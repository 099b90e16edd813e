import type { Meter } from '../ledger/meter.ts';
import type { TopicSummary, Turn } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import { ownerLevel, type Scope } from '../record/scope.ts';
import { lowestTrust, trustOf } from '../record/trust.ts';
import type { Writer } from '../store/database.ts';
import { listMemories } from '../store/read-memories.ts';
import { insertRun } from '../store/run-store.ts';
import { findSession, listSessionEvents } from '../store/session-store.ts';
import { writeMemory } from '../store/write-memory.ts';
import { chooseDistillers } from './choose-distiller.ts';
import type { FormDeps } from './form-deps.ts';
import { findUnsupported } from './guards/check-support.ts';
import { applyPrivacy } from '../language/privacy-policy.ts';
import type { Rejection } from './proposal.ts';
import { toTurn } from './take-unformed.ts';

export interface SummaryOptions {
  signal?: AbortSignal;
  complete?(writer: Writer): Promise<void>;
}

/** The topics that were written, and what was refused. */
export interface Summarised {
  /** Ids of the summaries. */
  topics: string[];
  rejected: Rejection[];
}

const PREFIX = 'Summary: ';
const MOST_KNOWN_TOPICS = 20;

/**
 * Sums up what a session was about, one memory for each topic, brought up to date where the topic is known (K9). Too
 * little said gives nothing.
 */
export async function summariseSession(
  deps: FormDeps,
  scope: Scope,
  options: SummaryOptions = {},
): Promise<Summarised> {
  const place = { ...scope, connection: null };
  const run = deps.ids.next('run');
  return deps.ledger.metered({ scope: place, operation: 'extraction', run }, async (meter) => {
    const startedAt = new Date(deps.clock.now());
    const turns = await recentTurns(deps, place);
    if (turns.filter((event) => event.origin === 'user').length < deps.settings.summary.minimumInteractions) {
      if (options.complete !== undefined) await deps.database.write(place.tenant, options.complete);
      return { topics: [], rejected: [] };
    }
    const distiller = (await chooseDistillers(deps, meter)).for('summarise');
    const { output } = await distiller.summarise(
      {
        turns: turns.map((event) => shortTurn(event, deps)),
        topics: await knownTopics(deps, place),
        mostTopics: deps.settings.summary.mostTopics,
      },
      { signal: options.signal },
    );
    const guarded = guardTopics(output, turns, deps);
    const topics = await writeTopics(deps, place, {
      topics: guarded.accepted,
      turns,
      run,
      distiller: distiller.id,
      startedAt,
      meter,
      options,
    });
    return { topics, rejected: guarded.rejected };
  });
}

/** The last messages within the time that counts, oldest first. */
async function recentTurns(deps: FormDeps, scope: Scope): Promise<Event[]> {
  const { lookBack, mostTurns } = deps.settings.summary;
  return deps.database.read(scope.tenant, async (reader) => {
    const session = await findSession(reader, scope, deps.clock.now());
    if (session === null) return [];
    const since = session.lastEventAt.getTime() - lookBack;
    const events = await listSessionEvents(
      reader,
      scope,
      Math.max(0, session.eventCount - mostTurns * 4),
      session.eventCount,
    );
    return events.filter((event) => event.kind === 'message' && event.recordedAt.getTime() >= since).slice(-mostTurns);
  });
}

function shortTurn(event: Event, deps: FormDeps): Turn {
  return { ...toTurn(event), content: event.content.slice(0, deps.settings.summary.turnCharacters).toWellFormed() };
}

async function knownTopics(deps: FormDeps, scope: Scope): Promise<string[]> {
  const { items } = await deps.database.read(scope.tenant, (reader) =>
    listMemories(reader, scope, { types: ['summary'], limit: MOST_KNOWN_TOPICS }, { now: deps.clock.now() }),
  );
  return items.map((memory) => (memory.title ?? '').replace(PREFIX, '')).filter((title) => title !== '');
}

/** A topic must be supported by the turns; names that nobody said are refused. */
function guardTopics(
  topics: readonly TopicSummary[],
  turns: readonly Event[],
  { settings }: FormDeps,
): { accepted: (TopicSummary & { marks: string[] })[]; rejected: Rejection[] } {
  const sources = turns.map((event) => ({ text: `${event.speaker ?? ''} ${event.content}`, at: event.occurredAt }));
  const accepted: (TopicSummary & { marks: string[] })[] = [];
  const rejected: Rejection[] = [];
  for (const topic of topics.slice(0, settings.summary.mostTopics)) {
    const title = topic.topic.replace(/\s+/g, ' ').trim().slice(0, 200);
    const text = topic.summary.replace(/\s+/g, ' ').trim().slice(0, 4000);
    if (title === '' || text === '') continue;
    const cleaned = applyPrivacy(text, settings.privacy);
    const unsupported = findUnsupported(text, sources, {
      names: ['User', 'Agent', 'Assistant'],
      timeZone: settings.timeZone,
    });
    if (cleaned.dropped !== null)
      rejected.push({ what: 'summary', reason: 'private', content: null, detail: cleaned.dropped });
    else if (unsupported !== null && unsupported !== text) {
      rejected.push({ what: 'summary', reason: 'unsupported', content: text, detail: unsupported });
    } else accepted.push({ ...topic, topic: title, summary: cleaned.text, marks: cleaned.marks });
  }
  return { accepted, rejected };
}

interface TopicsToWrite {
  topics: readonly (TopicSummary & { marks: string[] })[];
  turns: readonly Event[];
  run: string;
  distiller: string;
  startedAt: Date;
  meter: Meter;
  options: SummaryOptions;
}

async function writeTopics(deps: FormDeps, scope: Scope, work: TopicsToWrite): Promise<string[]> {
  const { topics, turns, run, distiller, startedAt, meter, options } = work;
  return deps.database.write(scope.tenant, async (writer) => {
    const ids: string[] = [];
    for (const { topic, summary, turns: cited, marks } of topics) {
      const named = cited.flatMap((turn) => turns[turn - 1] ?? []);
      const sources = named.length === 0 ? turns : named;
      const { memory } = await writeMemory(
        writer,
        deps,
        scope,
        {
          type: 'summary',
          title: `${PREFIX}${topic}`,
          content: summary,
          level: ownerLevel(scope),
          sourceType: 'conversation',
          sourceSession: scope.session,
          sourceEvents: [...new Set(sources.map((event) => event.id))],
          trust: lowestTrust(sources.map((event) => trustOf(event.origin))),
          confidence: 'medium',
          tags: marks.map((mark) => `sensitive:${mark}`),
          metadata: { distiller },
        },
        { reason: 'summed up the session', actor: 'form', run },
      );
      ids.push(memory.id);
    }
    await options.complete?.(writer);
    await insertRun(writer, {
      id: run,
      scope,
      kind: 'summarise',
      cause: 'schedule',
      status: topics.length === 0 ? 'skipped' : 'done',
      startedAt,
      finishedAt: new Date(deps.clock.now()),
      read: { turns: turns.length },
      changed: { topics: ids },
      model: distiller,
      cost: null,
      error: null,
    });
    await meter.settle(writer);
    return ids;
  });
}

import type { ProposedMemory } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import { isRecallTool } from './guards/recalled-text.ts';
import { toolEpisodes } from './local/tool-episodes.ts';
import { toTurn } from './take-unformed.ts';
import { USER } from './slot.ts';

const LONGEST_REASON = 80;

/** What the agent did with its tools, and for which request: one episode for each call. Their output is not read. */
export function toolProposals(events: readonly Event[]): ProposedMemory[] {
  return events.flatMap((event, index) => {
    const calls = (toTurn(event).tools ?? []).filter(({ name }) => !isRecallTool(name));
    const reason = requestBefore(events, index);
    const made = calls.map((call) => ({
      ...call,
      turn: index + 1,
      calledAt: event.occurredAt,
      ...(reason === null ? {} : { reason }),
    }));
    return toolEpisodes(made, USER).map((episode): ProposedMemory => ({
      type: 'episode',
      content: episode.content,
      levels: ['user'],
      importance: episode.importance,
      confidence: episode.confidence,
      tags: episode.tags,
      entities: [],
      turns: [index + 1],
      validFrom: episode.validFrom ?? null,
      validTo: null,
      explicit: false,
      keyed: null,
      subject: episode.subject,
      attribute: episode.attribute ?? null,
      polarity: episode.polarity,
    }));
  });
}

/** What the user asked for, in the same exchange or just before. */
function requestBefore(events: readonly Event[], index: number): string | null {
  const asked = events.slice(0, index).findLast((event) => event.origin === 'user' && event.kind === 'message');
  if (asked === undefined) return null;
  const text = asked.content.replace(/\s+/g, ' ').trim();
  const short = text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON - 1)}…` : text;
  return `${USER} asked "${short.toWellFormed()}"`;
}

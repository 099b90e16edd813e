import { agreedWording } from './agreed-wording.ts';
import { deduplicateStatements } from './deduplicate-statements.ts';
import { draftTurn } from './draft-turn.ts';
import type { Turn } from '../../models/distiller.ts';
import type { Exchange, ExtractedStatement, ExtractionContext } from './extracted-statement.ts';
import { findEchoed, findQuestion } from './find-question.ts';
import { finishDraft } from './finish-draft.ts';
import { guardStatement } from './guard-statement.ts';
import { readTurn } from './read-turn.ts';
import { straightApostrophes } from '../../language/straight-apostrophes.ts';
import { toolEpisodes } from './tool-episodes.ts';

// What is taken back, and whom a name means, was said not longer ago than this.
const MOST_BEFORE = 60;
const DEFAULTS = { timeZone: 'UTC', userName: 'User', maximumTurnLength: 8_000, maximumStatements: 40 };

/**
 * Reads an exchange by rules alone: what each person says of themself becomes statements that stand
 * alone. Agent, tool, document and system texts are read for questions only, and of the
 * user's events only messages. Never throws for any
 * text; an unknown time zone throws RangeError when a date is to be resolved.
 */
export function extractStatements(exchange: Exchange, context: ExtractionContext = {}): ExtractedStatement[] {
  const settings = { ...DEFAULTS, ...context };
  const earlier = context.earlierTurns ?? [];
  const statements = exchange.turns.flatMap((turn, position) => {
    if (turn.origin !== 'user' || turn.kind !== 'message') return [];
    const before = [...earlier, ...exchange.turns.slice(0, position)].slice(-MOST_BEFORE);
    return statementsOfTurn(turn, position + 1, before, settings, context.known ?? []);
  });
  const agreed = agreedWording(statements, exchange.turns);
  const episodes = toolEpisodes(exchange.toolCalls ?? [], settings.userName);
  return deduplicateStatements([...agreed, ...episodes]).slice(0, settings.maximumStatements);
}

/** One turn: sentences → drafts → statements with absolute dates and slots → only what the source supports. */
function statementsOfTurn(
  turn: Turn,
  number: number,
  before: readonly Turn[],
  settings: typeof DEFAULTS,
  known: readonly string[],
): ExtractedStatement[] {
  const speaker = turn.speaker ?? settings.userName;
  const sentences = readTurn(turn, settings.maximumTurnLength);
  const question = findQuestion(turn, before);
  const echoed = findEchoed(turn, before);
  const drafts = draftTurn({
    sentences,
    speaker,
    question,
    echoed,
    toAgent: turn.speaker === null,
    known: turn.speaker === null ? known.map(straightApostrophes) : [],
    before: before
      .filter(({ origin }) => origin === 'user' || origin === 'agent')
      .map((earlier) => ({
        text: straightApostrophes(earlier.content.slice(0, 1_000)),
        own: earlier.origin === 'user' && earlier.speaker === turn.speaker,
      })),
  });
  return drafts.flatMap((draft) => {
    const statement = finishDraft(draft, { turn, number, speaker, timeZone: settings.timeZone });
    return guardStatement(statement, draft) ? [statement] : [];
  });
}

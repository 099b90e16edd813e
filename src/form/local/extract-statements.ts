import { agreedWording } from './agreed-wording.ts';
import { deduplicateStatements } from './deduplicate-statements.ts';
import { draftTurn } from './draft-turn.ts';
import type { Turn } from '../../models/distiller.ts';
import type { Exchange, ExtractedStatement, ExtractionContext } from './extracted-statement.ts';
import { findEchoed, findQuestion } from './find-question.ts';
import { finishDraft } from './finish-draft.ts';
import { guardStatement } from './guard-statement.ts';
import { readTurn } from './read-turn.ts';
import { toolEpisodes } from './tool-episodes.ts';

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
    const before = [...earlier.slice(-6), ...exchange.turns.slice(0, position)];
    return statementsOfTurn(turn, position + 1, before, settings);
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
    before: before
      .filter(({ origin }) => origin === 'user' || origin === 'agent')
      .map((earlier) => ({
        text: earlier.content.slice(0, 1_000),
        own: earlier.origin === 'user' && earlier.speaker === turn.speaker,
      })),
  });
  return drafts.flatMap((draft) => {
    const statement = finishDraft(draft, { turn, number, speaker, timeZone: settings.timeZone });
    return guardStatement(statement, draft) ? [statement] : [];
  });
}

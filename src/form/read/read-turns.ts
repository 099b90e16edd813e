import { attributesWith } from '../../record/attributes.ts';
import { ownerOf, type Scope } from '../../record/scope.ts';
import { USER } from '../../record/statement.ts';
import type { Reader } from '../../store/database.ts';
import { ownEvents } from '../../store/event-store.ts';
import { listStatements, memoriesFrom } from '../../store/read-memories.ts';
import { topicsToContinue } from '../apply/reflections.ts';
import { isStated } from '../check/evidence.ts';
import { embedTexts, isReadable, knownStatements, LONGEST_COMPARED } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import { ownTextsAmong } from './local/reading-layers.ts';
import { emptyReading, type Reading, type ReadInput, userNamesOf, usesModel, usualSpeaker } from './reader.ts';

export interface ReadTurns {
  input: ReadInput;
  reading: Reading;
}

/** Reads the turns with a language model or the local reader, which are shown what is known. */
export async function readTurns(work: FormWork): Promise<ReadTurns> {
  const { deps, reader, events, signal } = work;
  const input = await readInput(work);
  const { facts } = deps.settings;
  const hasWords = events.some((event) => isReadable(event) || isStated(event));
  const isWanted = facts || input.wants.reflections || input.wants.topics;
  const whole = hasWords && isWanted ? await reader.read(input, { signal }) : emptyReading();
  // Without facts, a reading still has reflections and topics.
  return { input, reading: facts ? whole : { ...whole, statements: [], ends: [] } };
}

async function readInput(work: FormWork): Promise<ReadInput> {
  const { deps, scope, reader, events, earlier, signal } = work;
  const { settings, memoryTypes, attributes } = deps;
  const isModel = reader.kind === 'model';
  const texts = events.filter(isReadable).map(({ content }) => content.slice(0, LONGEST_COMPARED));
  const vectors = isModel && settings.limits.existing > 0 ? await embedTexts(work, texts) : null;
  const wants = {
    reflections:
      isModel && settings.reflections && settings.reflectionCall === 'with-reading' && usesModel(deps, 'reflect'),
    topics: isModel && settings.summaries,
  };
  const ids = events.map(({ id }) => id);
  const { known, topics, names, speakers } = await deps.database.read(scope.tenant, async (store) => {
    const own = await memoriesFrom(store, scope.tenant, ids);
    const drafts = isModel ? own.filter((memory) => memory.reader === 'local') : [];
    const named = await listStatements(store, ownerOf(scope), {
      subjects: [USER],
      attributes: attributesWith('own', attributes),
      owner: deps.sharesFacts === true ? 'visible' : 'own',
    });
    return {
      known: settings.limits.existing === 0 ? [] : await knownStatements(store, work, { vectors, drafts }),
      topics: wants.topics ? await topicsToContinue(store, work) : [],
      // Drafts of these turns are left out: the local reader may have taken "Gert is fine", which is about the boss, for the user's name.
      names: userNamesOf(
        scope,
        named.filter(({ id }) => !drafts.some((draft) => draft.id === id)),
      ),
      speakers: events.some(({ origin, speaker }) => origin === 'user' && speaker !== null)
        ? await listSpeakers(store, scope)
        : [],
    };
  });
  return {
    turns: events,
    earlier,
    ownTexts: await ownTextsAmong(events, deps.readParts, { signal }),
    known,
    topics,
    types: [...memoryTypes]
      .filter(([, type]) => type.formable)
      .map(([name, { description }]) => ({ name, description })),
    attributes,
    timeZone: settings.timeZone,
    userNames: [...names, ...usualSpeaker(speakers, names)],
    wants,
  };
}

const MOST_RECENT = 200;

async function listSpeakers(store: Reader, scope: Scope): Promise<(string | null)[]> {
  const recent = { kind: 'message', origins: ['user'], limit: MOST_RECENT, order: 'newest' } as const;
  return (await ownEvents(store, ownerOf(scope), recent)).map(({ speaker }) => speaker);
}

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AiSdkLanguageModel } from '../../src/models/ai-sdk.ts';

/** One answer of a model, with the turns and the known statements of its request. */
export interface Recording {
  /** `read`, `amend` or `decide`, or for consolidation `profile` or `merge`. */
  task: string;
  /** The numbered turns, or the other content of the request, without the rest of the prompt. */
  asked: string;
  /** The lines of the known statements, by number. */
  known: string[];
  /** For a nightly reflection: the lines of the known intentions, by number. */
  intentions?: string[];
  answer: unknown;
}

/** The requests to a recorded model in one run. */
export interface RecordedModel {
  model: AiSdkLanguageModel;
  calls: number;
  characters: number;
  /** Requests that no recording answers. */
  missing: string[];
  recordings: Recording[];
  /** The calls and their characters by task. */
  tasks: Record<string, { calls: number; characters: number }>;
}

/**
 * A model that answers from recordings. An answer is found by the turns of its request, so that the instructions of a prompt may change.
 * Its numbers of known statements are translated to the numbers that the same lines have now.
 */
export function replayingModel(recordings: readonly Recording[]): RecordedModel {
  return recordedModel(async (request) => {
    const recorded = recordings.find(
      ({ task, asked }) => task === request.task && keyOf(asked) === keyOf(request.asked),
    );
    if (recorded !== undefined) return translated(recorded, request);
    // The refused statements and the open pairs depend on the current checks, so requests that were not recorded get an empty answer.
    if (request.task === 'read' || request.task === 'profile') return null;
    if (request.task === 'merge') return [];
    return request.task === 'amend' ? { statements: [] } : { decisions: [] };
  });
}

/** The content of a request, without the reasons of refusals. */
function keyOf(asked: string): string {
  return asked.replace(/ — .*$/gm, '');
}

const POLL = 300;

/** A model whose requests are files that a person answers by hand: NNN.request.txt, NNN.answer.json. */
export function askingModel(folder: string): RecordedModel {
  mkdirSync(folder, { recursive: true });
  let count = 0;
  return recordedModel(async ({ text }) => {
    const name = join(folder, String((count += 1)).padStart(3, '0'));
    if (!existsSync(`${name}.answer.json`)) {
      writeFileSync(`${name}.tmp`, text);
      renameSync(`${name}.tmp`, `${name}.request.txt`);
    }
    for (;;) {
      try {
        return JSON.parse(readFileSync(`${name}.answer.json`, 'utf8')) as unknown;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, POLL));
      }
    }
  });
}

interface Request extends Omit<Recording, 'answer'> {
  text: string;
}

function recordedModel(answer: (request: Request) => Promise<unknown>): RecordedModel {
  const recorded: RecordedModel = {
    model: undefined as never,
    calls: 0,
    characters: 0,
    missing: [],
    recordings: [],
    tasks: {},
  };
  recorded.model = {
    specificationVersion: 'v3',
    provider: 'recorded',
    modelId: 'recorded',
    supportedUrls: {},
    async doStream() {
      throw new Error('A recorded model does not stream.');
    },
    async doGenerate(options: {
      prompt: { role: string; content: string | { text?: string }[] }[];
      responseFormat?: { name?: string; schema?: unknown };
    }) {
      const messages = options.prompt.map(({ role, content }) => ({
        role,
        text: typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join(''),
      }));
      const text = messages.map((message) => `### ${message.role}\n${message.text}`).join('\n\n');
      const user = messages.find(({ role }) => role === 'user')?.text ?? '';
      const schema = options.responseFormat?.schema;
      const request = {
        ...parts(user),
        text: schema === undefined ? text : `${text}\n\n### answer with JSON of this schema\n${JSON.stringify(schema)}`,
      };
      recorded.calls += 1;
      recorded.characters += text.length;
      const given = await answer(request);
      if (given === null) recorded.missing.push(request.asked);
      else recorded.recordings.push({ ...withoutText(request), answer: given });
      const callsOf = (recorded.tasks[request.task] ??= { calls: 0, characters: 0 });
      callsOf.calls += 1;
      callsOf.characters += text.length;
      const usage = { inputTokens: { total: Math.ceil(text.length / 4) }, outputTokens: { total: 200 } };
      return {
        content: [{ type: 'text', text: written(request.task, given) }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
      };
    },
  } as unknown as AiSdkLanguageModel;
  return recorded;
}

/** Splits a request into its task, its content, and the known statements that it shows. */
function parts(user: string): Omit<Recording, 'answer'> {
  const block = (label: string): string =>
    new RegExp(`<${label}-(\\w+)>\\n([\\s\\S]*?)\\n</${label}-\\1>`).exec(user)?.[2] ?? '';
  const lines = (label: string): string[] =>
    block(label)
      .split('\n')
      .filter((line) => /^\d+\. /.test(line))
      .map((line) => line.replace(/^\d+\. /, ''));
  const talk = block('conversations');
  if (talk !== '') {
    const asked = talk.replace(/^\d+\. /gm, '');
    const known = ['profile', 'working_memory', 'new_statements', 'conversations'].flatMap(lines);
    return { task: 'profile', asked, known, intentions: lines('known_intentions') };
  }
  if (block('additions') !== '')
    return {
      task: 'merge',
      asked: block('additions').replace(/^\d+\. /gm, ''),
      known: [...lines('text_so_far'), ...lines('additions')],
    };
  const turns = block('turns');
  if (turns === '') return { task: 'decide', asked: user.replace(/<(\/?\w+)-\w+>/g, '<$1>'), known: [] };
  const refused = block('refused');
  return {
    task: refused === '' ? 'read' : 'amend',
    asked: refused === '' ? turns : `${turns}\n${refused}`,
    known: block('known')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(/^\d+\. /, '')),
  };
}

/** An answer with the current numbers of its known statements. References to statements that are not shown now are removed. */
function translated({ answer, known, intentions = [] }: Recording, request: Request): unknown {
  // The prompt may show the time and tense of a statement differently now, so the statement is identified by its words.
  const words = (line: string): string =>
    line.replace(/^(?:\[[^\]]*\]\s*(?:\([^)]*\)\s*)?|\([^)]*\)\s*)/, '').replaceAll(/: | · /g, ' ');
  const places = (before: readonly string[], now: readonly string[]): Map<number, number> => {
    const lines = now.map(words);
    return new Map(before.map((line, index) => [index + 1, lines.indexOf(words(line)) + 1]));
  };
  const numbers = places(known, request.known);
  const closes = places(intentions, request.intentions ?? []);
  const translate = (value: unknown, key: string): unknown => {
    if (key === 'known' && typeof value === 'number') return numbers.get(value) || null;
    if (key === 'close' && typeof value === 'number') return closes.get(value) || 9999;
    if ((key === 'known' || key === 'from' || key === 'drop') && Array.isArray(value))
      return value.map((number: number) => numbers.get(number) ?? 0).filter((number) => number > 0);
    if (Array.isArray(value)) return value.map((each) => translate(each, ''));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, translate(each, name)]));
  };
  return translate(answer, '');
}

function withoutText({ text: _text, ...request }: Request): Omit<Recording, 'answer'> {
  return request;
}

/** An answer in the format of the task: the marker format for a nightly reflection, JSON for the others. */
function written(task: string, given: unknown): string {
  if (typeof given === 'string') return given;
  if (task !== 'profile' || given === null) return JSON.stringify(given ?? {});
  const { profile = [], working = [], facts = [], intentions = [], learnings = [] } = given as Record<string, unknown>;
  return Object.entries({
    PROFILE: profile,
    'WORKING MEMORY': working,
    FACTS: facts,
    INTENTIONS: intentions,
    LEARNINGS: learnings,
  })
    .map(([name, list]) => `---${name}---\n${JSON.stringify(list)}`)
    .join('\n\n');
}

/** A model that answers readings like one model and consolidation like another. */
export function joined(reading: RecordedModel, consolidation: RecordedModel): AiSdkLanguageModel {
  return {
    ...reading.model,
    doGenerate: (options: Parameters<AiSdkLanguageModel['doGenerate']>[0]) => {
      const asked = JSON.stringify(options.prompt);
      const isConsolidation = /<(?:conversations|additions|observations)-/.test(asked);
      return (isConsolidation ? consolidation : reading).model.doGenerate(options);
    },
  } as AiSdkLanguageModel;
}

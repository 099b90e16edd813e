import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AiSdkLanguageModel } from '../../src/models/ai-sdk-model.ts';

/** One answer of a model: to which turns, beside which known statements. */
export interface Recording {
  /** `read`, `amend` or `decide`. */
  task: string;
  /** The numbered turns, or what else was asked, without the rest of the prompt. */
  asked: string;
  /** The lines of the known statements, by number. */
  known: string[];
  answer: unknown;
}

/** What was asked of a recorded model in one run. */
export interface RecordedModel {
  model: AiSdkLanguageModel;
  calls: number;
  characters: number;
  /** Requests that no recording answers. */
  missing: string[];
  recordings: Recording[];
}

/**
 * A model that answers from recordings. An answer is found by the turns that it was given for, so that a prompt may change its
 * instructions; its numbers of known statements are translated to where the same lines stand now.
 */
export function replayingModel(recordings: readonly Recording[]): RecordedModel {
  return recordedModel(async (request) => {
    const recorded = recordings.find(
      ({ task, asked }) => task === request.task && keyOf(asked) === keyOf(request.asked),
    );
    if (recorded !== undefined) return translated(recorded, request.known);
    // What is refused, and which pairs are open, depends on the checks of today: what nobody was asked then is answered with nothing.
    if (request.task === 'read') return null;
    return request.task === 'amend' ? { statements: [] } : { decisions: [] };
  });
}

/** What a request asks, without the reasons for which something was refused. */
function keyOf(asked: string): string {
  return asked.replace(/ — .*$/gm, '');
}

const POLL = 300;

/** A model whose requests are files that somebody answers by hand: NNN.request.txt, NNN.answer.json. */
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
  const recorded: RecordedModel = { model: undefined as never, calls: 0, characters: 0, missing: [], recordings: [] };
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
      else recorded.recordings.push({ task: request.task, asked: request.asked, known: request.known, answer: given });
      const usage = { inputTokens: { total: Math.ceil(text.length / 4) }, outputTokens: { total: 200 } };
      return {
        content: [{ type: 'text', text: JSON.stringify(given ?? {}) }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
      };
    },
  } as unknown as AiSdkLanguageModel;
  return recorded;
}

/** Takes a request apart: which task it is, what it asks, what it shows as known. */
function parts(user: string): Omit<Recording, 'answer'> {
  const block = (label: string): string =>
    new RegExp(`<${label}-(\\w+)>\\n([\\s\\S]*?)\\n</${label}-\\1>`).exec(user)?.[2] ?? '';
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

/** An answer with the numbers that its known statements have now; what is not shown now is not referred to. */
function translated({ answer, known }: Recording, now: readonly string[]): unknown {
  // When a statement was said and how it lies in time may be told otherwise now: its words say which it is.
  const words = (line: string): string => line.replace(/^\[[^\]]*\]\s*(?:\([^)]*\)\s*)?/, '');
  const lines = now.map(words);
  const numbers = new Map(known.map((line, index) => [index + 1, lines.indexOf(words(line)) + 1]));
  const translate = (value: unknown, key: string): unknown => {
    if (key === 'known' && typeof value === 'number') return numbers.get(value) || null;
    if (key === 'known' && Array.isArray(value))
      return value.map((number: number) => numbers.get(number) ?? 0).filter((number) => number > 0);
    if (Array.isArray(value)) return value.map((each) => translate(each, ''));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, translate(each, name)]));
  };
  return translate(answer, '');
}

import { extractEntities } from '../../../language/extract-entities.ts';
import { extractKeywords } from '../../../language/extract-keywords.ts';
import { splitSentences } from '../../../language/split-sentences.ts';
import { words } from '../../../language/words.ts';
import type { ProposedMemory, SummariseInput, TopicSummary, Turn } from '../../../models/distiller.ts';
import { contentStems, coveredBy } from '../../guards/text-overlap.ts';
import { USER } from '../../slot.ts';
import { classifySentence } from '../classify-sentence.ts';
import { writeSentence } from '../write-sentence.ts';
import { clusterTurns, keywordStems, speakerStems, type TurnCluster } from './cluster-turns.ts';
import { proposeMemories } from './extract-memories.ts';
import { relateStatements, withSlot } from './relate-statements.ts';

const MOST_STATEMENTS = 4;
const TITLE_KEYWORDS = 3;
const LONGEST_QUOTE = 25;
// Fewer keywords than this were exchanged in greetings, not about something.
const TRIVIAL_KEYWORDS = 4;
const SAME_TOPIC = 0.6;
const TOLD = 0.6;

/**
 * Topics of a session by their keywords, each told in what was stated and asked. A session of greetings has none. What
 * tools and documents said is not told.
 */
export function summariseTopics(input: SummariseInput, timeZone: string): TopicSummary[] {
  const spoken = input.turns.map((turn) => (isSpoken(turn) ? turn : { ...turn, content: '' }));
  const told = proposeMemories(spoken, { timeZone });
  return clusterTurns(spoken, input.mostTopics)
    .filter((cluster) => isTopic(cluster, spoken, told))
    .flatMap((cluster) => {
      const summary = summaryOf(cluster, spoken, told);
      if (summary === '') return [];
      return [{ topic: titleOf(cluster, spoken, input.topics), summary, turns: cluster.turns }];
    })
    .toSorted((left, right) => (left.turns[0] ?? 0) - (right.turns[0] ?? 0));
}

function isSpoken({ kind, origin }: Turn): boolean {
  return (kind === 'message' || kind === 'observation') && (origin === 'user' || origin === 'agent');
}

function isTopic({ turns, stems }: TurnCluster, all: readonly Turn[], told: readonly ProposedMemory[]): boolean {
  const isTold = told.some((memory) => memory.turns.some((number) => turns.includes(number)));
  return (
    turns.some((number) => all[number - 1]?.origin === 'user') &&
    stems.size >= TRIVIAL_KEYWORDS &&
    (turns.length > 1 || isTold)
  );
}

/** An earlier topic's title where the cluster has most of its words, else its names and keywords. */
function titleOf(cluster: TurnCluster, all: readonly Turn[], topics: readonly string[]): string {
  const stems = new Set(cluster.stems.keys());
  const earlier = topics
    .map((topic) => ({ topic, share: coveredBy(new Set(words(topic)), stems) }))
    .toSorted((left, right) => right.share - left.share)[0];
  if (earlier !== undefined && earlier.share >= SAME_TOPIC) return earlier.topic;
  const text = cluster.turns.map((number) => all[number - 1]?.content ?? '').join('\n');
  const name = extractEntities(text).find(({ type }) => type === 'content' || type === 'project')?.name;
  const taken = new Set([...words(name ?? ''), ...speakerStems(all)]);
  const keywords = extractKeywords(text, TITLE_KEYWORDS + taken.size)
    .filter((keyword) => !words(keyword).some((stem) => taken.has(stem)))
    .slice(0, name === undefined ? TITLE_KEYWORDS : 1);
  const title = [name ?? [], keywords].flat().join(', ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function summaryOf(cluster: TurnCluster, all: readonly Turn[], memories: readonly ProposedMemory[]): string {
  const statements: string[] = [];
  for (const { content, turns, importance } of memories.toSorted((left, right) => right.importance - left.importance)) {
    if (!turns.some((number) => cluster.turns.includes(number)) || importance < 0.4) continue;
    const next = withSlot(content);
    if (statements.some((known) => relateStatements(next, withSlot(known)) !== 'unrelated')) continue;
    if (statements.length < MOST_STATEMENTS) statements.push(content);
  }
  const told = contentStems(statements.join(' '));
  const quotes = (['user', 'agent'] as const).flatMap((origin) => {
    const best = bestSentence(cluster, all, origin);
    // What was stated need not be quoted as well.
    return best === null || coveredBy(contentStems(best.text), told) >= TOLD ? [] : [writeQuote(best)];
  });
  return [...statements, ...quotes].join(' ');
}

/** The sentence with most of the cluster's words, the later one of two. */
function bestSentence(cluster: TurnCluster, all: readonly Turn[], origin: 'user' | 'agent'): Quote | null {
  let best: (Quote & { score: number }) | null = null;
  for (const number of cluster.turns) {
    const turn = all[number - 1];
    if (turn?.origin !== origin) continue;
    for (const { text } of splitSentences(turn.content.slice(0, 4_000))) {
      if (isEmptyTalk(text)) continue;
      let score = 0;
      for (const stem of keywordStems(text)) score += cluster.stems.get(stem) ?? 0;
      const speaker = turn.speaker ?? (origin === 'user' ? USER : 'Agent');
      if (score > 1 && (best === null || score >= best.score)) best = { text, speaker, score };
    }
  }
  return best;
}

interface Quote {
  text: string;
  speaker: string;
}

function isEmptyTalk(text: string): boolean {
  const kind = classifySentence(text);
  return kind === 'courtesy' || kind === 'jest' || text.split(' ').length < 4;
}

function writeQuote({ text, speaker }: Quote): string {
  const ending = /\?\W*$/.test(text) ? '?' : '.';
  const quoted = writeSentence(text.replace(/["“”]/g, "'"), LONGEST_QUOTE).replace(/\.$/, ending);
  return `${speaker} ${ending === '?' ? 'asked' : 'said'}: "${quoted}"`;
}

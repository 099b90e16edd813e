// node train/embedder/glossed.ts SETS: writes the texts that train.py uses in addition to the questions, as the embedder sees them. Texts
// in other languages are glossed: each word is replaced by its English word. texts.json has texts without labels, from train/requests,
// train/changes and train/marked. other.json has the lives in other languages with their questions, which train.py uses only for
// evaluation.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGlossary } from '../../src/models/local-embedder/token-windows.ts';

const train = join(import.meta.dirname, '..');
const sets = process.argv[2] ?? '';
const read = (file: string): string => readFileSync(file, 'utf8');
const files = (pattern: string): string[] => globSync(join(train, pattern)).toSorted();
const { gloss } = createGlossary(() => files('lexicons/*.tsv').map(read).join(''));

const texts = new Set<string>();
for (const line of files('{requests,changes}/*.jsonl').flatMap((file) => read(file).split('\n'))) {
  if (line.trim() === '') continue;
  const { said = [], request, message } = JSON.parse(line) as { said?: string[]; request?: string; message?: string };
  for (const text of [...said, request, message]) if (text !== undefined && text.length > 12) texts.add(gloss(text));
}
for (const line of files('marked/*.txt').flatMap((file) => read(file).split('\n'))) {
  const text = line.replace(/\[[a-z_]+=([^\]]*)\]/gu, '$1').trim();
  if (text.length > 8) texts.add(`User: ${gloss(text)}`);
}
writeFileSync(join(sets, 'texts.json'), JSON.stringify([...texts]));

interface Life {
  language: string;
  sessions: { turns: { id: string; role: string; text: string }[] }[];
  questions: { question: string; evidence: string[] }[];
}
const lives = files('lives/*.json')
  .map((file) => JSON.parse(read(file)) as Life)
  .filter(({ language }) => ['de', 'es', 'fr', 'it', 'nl', 'pt', 'zh', 'ja'].includes(language));
const other = lives.map(({ sessions, questions }) => {
  const turns = sessions.flatMap((session) => session.turns);
  const answered = questions.filter(({ evidence }) => evidence.length > 0);
  return {
    docs: turns.map(({ role, text }) => `${role === 'user' ? 'User' : 'Assistant'}: ${gloss(text)}`),
    q: answered.map(({ question }) => gloss(question)),
    gold: answered.map(({ evidence }) => evidence.map((id) => turns.findIndex((turn) => turn.id === id))),
  };
});
writeFileSync(join(sets, 'other.json'), JSON.stringify(other));
console.log(`${texts.size} texts without labels; ${other.length} lives in other languages.`);

import { extractKeywords } from './extract-keywords.ts';
import { analyseVerb } from './verb-forms.ts';
import { wordSet } from './word-set.ts';

const TIMES =
  wordSet(`yesterday today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs
  fri sat sun mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april june july august
  september october november december jan feb mar apr jun jul aug sep sept oct nov dec morning mornings afternoon afternoons
  evening evenings night nights noon midnight weekend weekends weekday weekdays week weeks month months year years day days
  hour hours minute minutes seconds decade decades century moment season spring summer autumn winter fall time times am pm
  daily weekly monthly yearly annual nightly hourly date`);
const ORDER =
  wordSet(`first second third fourth fifth sixth seventh eighth ninth tenth last next previous past former latter current recent
  final one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred thousand
  million half dozen couple double single once twice extra main whole entire full different several own certain new old
  big small little large long short high low early late later soon almost maybe perhaps away abroad anymore apart ahead least behind beside
  inside outside above below against across within towards toward among despite except off opposite
  good better best bad worse worst great nice favorite favourite older younger elder eldest bigger smaller longer shorter
  larger higher lower earlier nearly together alone enough far near left right able ready sure free busy hard easy`);
const VERBS =
  wordSet(`start begin take use give get come go make keep bring need say think know look seem feel become turn sit stand read
  write eat drive pay buy sell send tell ask let put set try find lose win leave arrive happen remember remind forget want
  decide choose pick prefer enjoy love hate like live work move become stay wait hope finish stop quit continue spend mean
  believe hear see meet speak understand add grow open close switch include provide contain require involve consist belong
  cost end expect suffer attend own hold carry learn teach bake cook wear join allow avoid ensure follow handle receive`);
const LIGHT_GERUNDS =
  wordSet(`using going getting making taking having being coming looking trying starting keeping needing giving putting letting
  doing saying thinking feeling seeing finding becoming bringing leaving wanting liking loving hating sitting standing
  turning ending staying moving living working waiting hoping`);
const NOUNS_IN_LY =
  /^(?:family|italy|july|reply|supply|assembly|jelly|belly|butterfly|fly|ally|rally|lily|emily|sally|molly|holly|billy|kelly|polly|monopoly|anomaly|bully|trolley|sicily|philly|firefly)$/;
const SUPERLATIVE =
  /(?:iest|(?:small|large|old|young|long|short|high|low|great|fast|slow|near|new|late|hard|strong)est)$/;
// "is reading", "was named": what follows these is the verb.
const VERB_GROUP =
  /^(?:is|are|was|were|am|be|been|being|has|have|had|will|would|not|to|never|also|still|currently|now|no|longer)$/;

/** What a statement is about, as tags: nouns and names. Verbs, times, numbers and words of order would join what has nothing in common. */
export function extractTopics(text: string, limit: number): string[] {
  const verbs = verbsOf(text);
  return extractKeywords(text, limit * 4)
    .filter((word) => isTopic(word) && !verbs.has(word))
    .slice(0, limit);
}

/** Whether a word in lower case can name a topic. */
export function isTopic(word: string): boolean {
  if (/^\d/.test(word) || TIMES.has(word) || ORDER.has(word) || SUPERLATIVE.test(word)) return false;
  if (word.endsWith('ly') && !NOUNS_IN_LY.test(word)) return false;
  const { base, form } = analyseVerb(word);
  if (form === 'past' || form === 'participle') return false;
  if (form === 'gerund') return !LIGHT_GERUNDS.has(word);
  return !VERBS.has(base);
}

/** The words that stand where the verb does: right after "is" or "has" with its ending. */
function verbsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}'-]+/gu) ?? [];
  return new Set(
    words.filter((word, index) => /(?:ing|ed|en)$/.test(word) && index > 0 && VERB_GROUP.test(words[index - 1] ?? '')),
  );
}

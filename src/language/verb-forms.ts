import { wordSet } from './word-set.ts';

/** How a verb was found to be inflected. */
export type VerbForm = 'base' | 'third' | 'past' | 'participle' | 'gerund';

// base past participle; the participle is left out where it equals the past.
const IRREGULAR = `be was been|become became become|begin began begun|bite bit bitten|blow blew blown|break broke broken|bring brought|build built|buy bought|catch caught|choose chose chosen|come came come|cost cost|cut cut|deal dealt|dig dug|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung|have had|hear heard|hide hid hidden|hit hit|hold held|hurt hurt|keep kept|know knew known|lead led|learn learnt|leave left|lend lent|let let|lose lost|make made|mean meant|meet met|pay paid|put put|quit quit|read read|ride rode ridden|ring rang rung|rise rose risen|run ran run|say said|see saw seen|sell sold|send sent|set set|shake shook shaken|shoot shot|show showed shown|shut shut|sing sang sung|sit sat|sleep slept|speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|strike struck|swear swore sworn|sweep swept|swim swam swum|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|wear wore worn|win won|write wrote written|lie lay lain|mow mowed mown|shrink shrank shrunk|spread spread|split split|bet bet|weep wept|wed wed|breed bred|knit knit|bend bent|bleed bled|outgrow outgrew outgrown|overcome overcame overcome`;

const PAST_TO_BASE = new Map<string, string>();
const PARTICIPLE_TO_BASE = new Map<string, string>();
for (const entry of IRREGULAR.split('|')) {
  const [base = '', past = '', participle = past] = entry.split(' ');
  PAST_TO_BASE.set(past, base);
  PARTICIPLE_TO_BASE.set(participle, base);
}
PAST_TO_BASE.set('were', 'be');
PARTICIPLE_TO_BASE.set('got', 'get');
const SAME_IN_PAST = wordSet(`
  cost cut hit hurt let put quit read set shut spread split bet wed knit`);
const ENDS_IN_ED = wordSet(`
  need feed breed bleed speed seed weed proceed succeed exceed embed shed wed`);
const DOUBLED_BY_BRITONS =
  /^(?:cancel|travel|label|model|counsel|level|signal|fuel|total|channel|tunnel|quarrel|pedal)l$/;
const DOUBLED_IN_BASE = /(?:ll|ss|ff|zz|dd)$/;
const ENDS_SILENT = /(?:[aeiou](?:v|s|z|c|g|u|k|t|n|m|l|r|d|p|b)|[^aeiou]l|[rln][cgsv]|dg|gu|[rt]h|u)$/;
const VOWELED_BASES = wordSet(`
  love live agree disagree free guarantee include provide translate assume delete summarize summarise apologize apologise cite like hate
  dislike enjoy move use manage raise write make drive ride take dance hike bike bake code create graduate
  retire divorce practice prepare receive serve decide hope save volunteer collect paint exercise compete
  complete invite celebrate prefer choose lose have give produce promote update close cycle dine donate explore
  share smoke race wake advise argue believe change continue describe die leave arrive behave appreciate achieve
  promise realize realise organize organise specialize specialise relocate migrate skate surprise shave store
  stare schedule score settle struggle handle juggle bundle knit care tease note name notice rescue pursue value
  purchase release increase reduce introduce require hire fire admire inspire acquire wire combine define
  determine imagine examine line mine shine sculpt serve solve involve deserve reserve observe come become taste
  waste paste chase base ease lease please cause pause advertise battle bottle bubble crochet file smile travel`);

/** The base form of an inflected verb, and which inflection it was. */
export function analyseVerb(word: string): { base: string; form: VerbForm } {
  if (word === 'am' || word === 'are' || word === 'is') return { base: 'be', form: 'base' };
  if (word === 'has') return { base: 'have', form: 'third' };
  if (word === 'does') return { base: 'do', form: 'third' };
  if (SAME_IN_PAST.has(word) || ENDS_IN_ED.has(word)) return { base: word, form: 'base' };
  const past = PAST_TO_BASE.get(word);
  if (past !== undefined) return { base: past, form: 'past' };
  const participle = PARTICIPLE_TO_BASE.get(word);
  if (participle !== undefined && participle !== word) return { base: participle, form: 'participle' };
  if (word.length > 4 && word.endsWith('ing') && /[aeiouy]/.test(word.slice(0, -3)))
    return { base: withoutEnding(word.slice(0, -3)), form: 'gerund' };
  if (word.length > 3 && word.endsWith('ied')) return { base: `${word.slice(0, -3)}y`, form: 'past' };
  if (word.length > 3 && word.endsWith('ed')) return { base: withoutEnding(word.slice(0, -2)), form: 'past' };
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word))
    return { base: withoutS(word), form: 'third' };
  return { base: word, form: 'base' };
}

/** "go" → "goes", "have" → "has". */
export function thirdPerson(base: string): string {
  if (base === 'be') return 'is';
  if (base === 'have') return 'has';
  if (/[^aeiou]y$/.test(base)) return `${base.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|[^aeiou]o|^go|^do)$/.test(base) ? `${base}es` : `${base}s`;
}

/** True when the word can be read as a participle after "have". */
export function isParticiple(word: string): boolean {
  return PARTICIPLE_TO_BASE.has(word) || SAME_IN_PAST.has(word) || (word.endsWith('ed') && !ENDS_IN_ED.has(word));
}

function withoutS(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:ses|xes|zes|ches|shes|oes)$/.test(word) && !VOWELED_BASES.has(word.slice(0, -1))
    ? word.slice(0, -2)
    : word.slice(0, -1);
}

function withoutEnding(stem: string): string {
  if (VOWELED_BASES.has(`${stem}e`)) return `${stem}e`;
  if (VOWELED_BASES.has(stem)) return stem;
  if (DOUBLED_BY_BRITONS.test(stem)) return stem.slice(0, -1);
  if (/([^aeiou])\1$/.test(stem) && !DOUBLED_IN_BASE.test(stem)) return stem.slice(0, -1);
  return /[^aeiou][aeiou][vszcg]$|[rln][cgsv]$|dg$|[^aeiou]u$|[bcdgkptz]l$/.test(stem) && ENDS_SILENT.test(stem)
    ? `${stem}e`
    : stem;
}

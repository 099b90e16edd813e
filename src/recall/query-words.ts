import { words } from '../language/words.ts';

// Function words of English questions plus the commonest of German, French and Spanish: they say how is asked, not what about.
const WORDS =
  'a an the and or but if then so of to in on at by for from with about as into is are was were be been being am do does did doing done ' +
  'have has had having i me my mine you your yours he him his she her hers it its we us our ours they them their theirs this that these those ' +
  'there here what which who whom whose when where why how many much would could should can will shall may might must not no yes than too very ' +
  'just also any some such own im ive id youre dont didnt doesnt isnt wasnt let get got thing kind type ' +
  'der die das den dem des ein eine einen einem einer und oder ist sind war waren ich du er sie es wir ihr mein dein sein hat habe haben was wer wie wo wann warum welche welcher welches mit von zu im am auf ' +
  'le la les un une des et ou est sont je tu il elle nous vous mon ma mes ton ta qui que quoi quand comment pourquoi quel quelle de du au aux en dans ' +
  'el los las una y o es son yo mi tu su quien que cuando donde como por cual';

/** Index terms that carry no topic; they are left out of the query, never out of the index. */
export const QUERY_STOP_TERMS: ReadonlySet<string> = new Set(words(WORDS));

export const TEMPORAL_EXPRESSION: RegExp =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this (?:week|month|year|morning|weekend|summer|winter|spring|fall)|week(?:end)?s?|months?|years?|days?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|[12]\d{3}|recently|just|since|soon|gestern|heute|vorgestern|letzte[nrs]?|nächste[nrs]?|hier|demain|ayer|anoche)\b|[昨今明]天|[昨今明]日|[去今明]年|上周|下周|上个?月|어제|오늘|내일|지난|أمس|اليوم|غدا|الماضي/iu;

export const MONTHS: readonly string[] =
  'january february march april may june july august september october november december'.split(' ');

/** A question with one of these asks what is so now, after any change. */
export const ASKS_NOW: RegExp =
  /\b(?:now|nowadays|currently|current|these days|at the moment|still|latest|anymore|any more|today|jetzt|aktuell|derzeit|momentan|inzwischen|ahora|actualmente|actual|maintenant|actuellement|actuel(?:le)?|adesso|ora|attualmente|teraz|obecnie|aktualnie|nu|momenteel|tegenwoordig|agora|atualmente)\b|现在|目前|如今|今は|現在|いま|지금|현재|요즘/iu;

/** A question with one of these asks what was so before, or first. */
export const ASKS_PAST: RegExp =
  /\b(?:first|before|previous(?:ly)?|former(?:ly)?|original(?:ly)?|initial(?:ly)?|used to|earlier|back then|at the (?:start|beginning)|in the beginning|früher|vorher|zuerst|ursprünglich|anfangs|damals|antes|primero|originalmente|inicialmente|al principio|avant|d'abord|auparavant|au début|initialement|prima|inizialmente|all'inizio|wcześniej|przedtem|najpierw|początkowo|eerst|vroeger|eerder|oorspronkelijk|daarvoor|antigamente)\b|以前|之前|原来|最初|当初|前は|元々|もともと|예전|이전|처음|원래/iu;

/** A question with one of these asks for a list, a count or a comparison. */
export const ASKS_SEVERAL: RegExp =
  /\b(?:which|all|every|list|how many|how often|how much|what (?:kinds?|sorts?|types?)|both|each|compare|everything|total|altogether|names? of|who all|in what order|welche[nrs]?|alle[ns]?|wie viele?|wie oft|qué|cuáles|todos|todas|cuánt[oa]s|quels?|quelles?|tous|toutes|combien|quali|tutt[ie]|quant[ie]|które|jakie|wszystkie|ile|welke|hoeveel|hoe vaak|alle)\b|哪些|所有|多少|几次|どの|すべて|全部|何回|어떤|모든|몇/iu;

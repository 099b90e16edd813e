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

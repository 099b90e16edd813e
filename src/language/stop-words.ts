import { wordSet } from './word-set.ts';

/** Words that carry no meaning of their own in a statement. */
export const STOP_WORDS: ReadonlySet<string> = wordSet(`
  a an the and or but if then so as at by for from in into of off on onto out over to up with without about after before
  between during through under until while than that this these those there here it its he him his she her hers they them
  their theirs themself themselves i me my mine myself we us our ours ourselves you your yours who whom whose which what when
  where why how be am is are was were been being do does did done doing have has had having will would shall should can
  could may might must not no nor never n't s t d ll m re ve just also too very really quite much many more most lot lots
  some any all both each every few several such only own same other another again ever even still yet already now one ones
  get gets got getting going gonna let us oh well yes yeah yep okay ok sure thing things stuff way kind sort bit little
  like likes user because since though although actually definitely pretty always usually often sometimes like's upon per
  via etc else instead rather together along around ago back away anymore something anything everything nothing
  someone anyone everyone nobody somebody anybody everybody`);

/** True for a word that a reader would miss. */
export function isContentWord(lower: string): boolean {
  return lower.length > 1 ? !STOP_WORDS.has(lower) && /[\p{L}\p{N}]/u.test(lower) : /[\p{N}\p{Lo}]/u.test(lower);
}

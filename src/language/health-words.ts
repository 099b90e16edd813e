import { wordSet } from './word-set.ts';

const MEDICATIONS = wordSet(`
  insulin warfarin aspirin ibuprofen paracetamol acetaminophen metformin levothyroxine thyroxine prednisone cortisone
  statins antidepressants antibiotics painkillers lithium heparin morphine codeine ritalin adderall prozac zoloft xanax
  tylenol advil ozempic methotrexate ventolin inhaler iron supplements vitamins melatonin antihistamines`);
const ENDS_LIKE_ONE =
  /(?:pril|sartan|statin|olol|prazole|cillin|mycin|cycline|formin|zepam|zolam|oxetine|traline|opram|triptan|dipine|mab|tinib|parin|xaban|gliptin|flozin|sone|solone|terol|azine|idone)$/;

/** Whether a word, lower case, names something that is taken against an illness. */
export function isMedication(word: string): boolean {
  return MEDICATIONS.has(word) || (word.length > 6 && ENDS_LIKE_ONE.test(word));
}

/** What one can have, for a pattern: conditions that stay. */
export const CONDITIONS: string =
  "(?:type [12] )?(?:diabetes|asthma|depression|anxiety|arthritis|epilepsy|cancer|migraines?|co?eliac(?: disease)?|celiac(?: disease)?|high blood pressure|hypertension|insomnia|adhd|ADHD|add|ADD|autism|dyslexia|ptsd|PTSD|ocd|OCD|crohn's(?: disease)?|Crohn's(?: disease)?|ibs|IBS|eczema|psoriasis|endometriosis|pcos|PCOS|tinnitus|lupus|gout|glaucoma|anaemia|anemia|scoliosis|sciatica|fibromyalgia|parkinson's|Parkinson's|alzheimer's|Alzheimer's|dementia|osteoporosis|hay fever|vertigo|tendonitis|a bad (?:back|knee|hip|shoulder)|a heart condition|a pacemaker|bipolar disorder|ms|MS|hiv|HIV|long covid|Long Covid)";

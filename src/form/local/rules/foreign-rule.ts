import type { FactCategory } from '../../../record/memory.ts';
import { CAPITALS, LETTERS } from '../../../language/name-pattern.ts';
import type { StatementDraft } from '../statement-draft.ts';

interface ForeignPattern {
  pattern: RegExp;
  predicate: string;
  key: string;
  category: FactCategory;
}

const NAME = `([${CAPITALS}][${LETTERS}'-]+(?: [${CAPITALS}][${LETTERS}'-]+){0,2})`;
const START = `^(?:[${LETTERS}]{2,8}[,!.] ?)?`;
const END = '(?=$|[.,;!]| (?:und|y|et|e|con|mit|avec|desde|seit|depuis)\\b)';
const pattern = (source: string, predicate: string, key: string, category: FactCategory): ForeignPattern => ({
  pattern: new RegExp(`${START}${source}${END}`),
  predicate,
  key,
  category,
});

/** A small table: who, where, for whom, how old. Other sentences in these languages yield nothing. */
const PATTERNS: readonly ForeignPattern[] = [
  pattern(`(?:[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist) ${NAME}`, 'is named', 'name', 'personal'),
  pattern(`[Ii]ch (?:wohne|lebe) (?:jetzt |derzeit )?in ${NAME}`, 'lives in', 'home_city', 'location'),
  pattern(`[Ii]ch arbeite (?:bei|für) ${NAME}`, 'works at', 'employer', 'work'),
  pattern('[Ii]ch bin (\\d{1,3}) Jahre alt', 'is aged', 'age', 'personal'),
  pattern(`[Ii]ch komme aus ${NAME}`, 'is from', 'birthplace', 'location'),
  pattern(`(?:[Mm]e llamo|[Mm]i nombre es) ${NAME}`, 'is named', 'name', 'personal'),
  pattern(`(?:[Yy]o )?[Vv]ivo en ${NAME}`, 'lives in', 'home_city', 'location'),
  pattern(`(?:[Yy]o )?[Tt]rabajo (?:en|para) ${NAME}`, 'works at', 'employer', 'work'),
  pattern('[Tt]engo (\\d{1,3}) años', 'is aged', 'age', 'personal'),
  pattern(`(?:[Yy]o )?[Ss]oy de ${NAME}`, 'is from', 'birthplace', 'location'),
  pattern(`(?:[Jj]e m'appelle|[Mm]on nom est) ${NAME}`, 'is named', 'name', 'personal'),
  pattern(`[Jj](?:'habite|e vis|'habite maintenant) (?:à|en|au|aux|dans) ${NAME}`, 'lives in', 'home_city', 'location'),
  pattern(`[Jj]e travaille (?:chez|pour|à) ${NAME}`, 'works at', 'employer', 'work'),
  pattern("[Jj]'ai (\\d{1,3}) ans", 'is aged', 'age', 'personal'),
  pattern(`[Jj]e viens de ${NAME}`, 'is from', 'birthplace', 'location'),
  pattern(`(?:[Mm]i chiamo) ${NAME}`, 'is named', 'name', 'personal'),
  pattern(`(?:[Ii]o )?(?:[Vv]ivo|[Aa]bito) a ${NAME}`, 'lives in', 'home_city', 'location'),
  pattern(`(?:[Mm]eu nome é|[Ee]u me chamo|[Mm]e chamo) ${NAME}`, 'is named', 'name', 'personal'),
  pattern(`(?:[Ee]u )?[Mm]oro em ${NAME}`, 'lives in', 'home_city', 'location'),
];

const MAY_BE_FOREIGN =
  /(?:^|[\s,!.])(?:ich|mein|me|mi|yo|vivo|trabajo|tengo|soy|je|j'|mon|io|abito|meu|eu|moro)(?=[\s'a-z])/i;

/** Reads the basics of a person in German, Spanish, French, Italian and Portuguese. */
export function foreignRule(text: string, speaker: string): StatementDraft | null {
  if (!MAY_BE_FOREIGN.test(text) || /\?\s*$/.test(text)) return null;
  for (const { pattern: form, predicate, key, category } of PATTERNS) {
    const value = form.exec(text)?.[1];
    if (value === undefined) continue;
    return {
      type: category === 'personal' ? 'personal' : 'fact',
      subject: speaker,
      predicate: `${predicate} ${value}`,
      polarity: 'positive',
      importance: 0.7,
      confidence: 'high',
      attribute: key,
      keyedFacts: [{ key, value, category }],
      ownWords: predicate.split(' '),
    };
  }
  return null;
}

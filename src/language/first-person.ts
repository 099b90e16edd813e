const ADVERBS =
  'now|also|still|currently|never|always|often|usually|recently|just|no longer|already|really|sometimes|mostly|mainly|previously|then|both';
/** Verbs that "and" may join to the user's verb. Plurals with the same ending are not in the list: "has cats and dogs". */
const JOINED =
  'works|lives|is|has|does|likes|loves|hates|prefers|wants|needs|takes|drinks|eats|plays|speaks|studies|teaches|runs|owns|drives|goes|' +
  'uses|writes|plans|keeps|thinks|rents|sleeps|travels|leads|manages|earns|moves|starts|attends|practises|practices|follows|wears';
const IRREGULAR: Readonly<Record<string, string>> = {
  is: 'am',
  has: 'have',
  does: 'do',
  goes: 'go',
  dies: 'die',
  lies: 'lie',
};

const OWN = /\b(?:the )?user['’]s\b/gi;
const VERB = new RegExp(`\\b(?:the )?user((?: (?:${ADVERBS}))*) (\\p{Ll}+)(?![\\p{L}'’-])`, 'giu');
const ALSO = new RegExp(`(,? (?:and|but)(?: (?:${ADVERBS}))*) (${JOINED})(?![\\p{L}])`, 'gu');
/** "User quit her job": right after the verb, a pronoun means the user. */
const OWNED = /\b(I (?:\p{Ll}+ ){1,3}?)(?:his|her|their)(?= \p{Ll})/gu;
const USER = /\b(?:the )?user\b/gi;

/** "User left Siemens and now works at BMW" → "I left Siemens and now work at BMW". The local reader is made for the words of users. */
export function noteInFirstPerson(note: string): string {
  const isSubject = new RegExp(`^\\s*(?:the )?user(?: (?:${ADVERBS}))* \\p{Ll}`, 'iu').test(note);
  const spoken = note
    .replace(OWN, (_, at: number) => (at === 0 ? 'My' : 'my'))
    .replace(VERB, (_, adverbs: string, verb: string) => `I${adverbs} ${ofFirstPerson(verb)}`)
    .replace(USER, 'I');
  if (!isSubject) return spoken;
  return spoken
    .replace(ALSO, (_, joint: string, verb: string) => `${joint} ${ofFirstPerson(verb)}`)
    .replace(OWNED, '$1my');
}

/** "works" → "work", "studies" → "study". */
function ofFirstPerson(verb: string): string {
  const irregular = IRREGULAR[verb];
  if (irregular !== undefined) return irregular;
  if (!/[^su]s$/u.test(verb) || verb.length < 4) return verb;
  if (/[^aeiou]ies$/u.test(verb)) return `${verb.slice(0, -3)}y`;
  return /(?:ss|sh|ch|x|zz|o)es$/u.test(verb) ? verb.slice(0, -2) : verb.slice(0, -1);
}

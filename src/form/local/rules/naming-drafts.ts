import { PARTNERS, PETS, SEVERAL } from '../../../language/kinship.ts';
import type { NamedPerson } from '../find-people.ts';
import type { StatementDraft } from '../statement-draft.ts';

/**
 * "My wife Inés is expecting": besides what is said of her, that this is her name. Of those whom one has several of, and
 * of pets, only when nothing else says it.
 */
export function namingDrafts(
  people: readonly NamedPerson[],
  drafts: readonly StatementDraft[],
  speaker: string,
): StatementDraft[] {
  return people.flatMap(({ name, relation }): StatementDraft[] => {
    const noun = relation.split(' ').at(-1) ?? relation;
    const one = PARTNERS.has(noun) || !(SEVERAL.has(noun) || PETS.has(noun) || relation.includes(' '));
    const isSaid = drafts.some(({ subject, predicate }) => `${subject} ${predicate}`.includes(name));
    const isNamed = drafts.some(
      ({ predicate }) => /^is (?:named |called )?\p{Lu}/u.test(predicate) && predicate.includes(name),
    );
    if (isNamed || (isSaid && !one)) return [];
    return [
      {
        type: 'personal',
        // Where "husband Rui" is said besides, the key is all that is left to say.
        subject: `${speaker}'s ${isSaid && PARTNERS.has(noun) ? 'partner' : relation}`,
        predicate: `is named ${name}`,
        polarity: 'positive',
        importance: 0.6,
        confidence: 'high',
        ownWords: ['named', 'partner'],
      },
    ];
  });
}

import { wordSet } from './words.ts';

/** People whom a possessive ties to the speaker: what is said of them is not said of the speaker. */
export const KINSHIP: ReadonlySet<string> = wordSet(`
  mother mom mum mommy father dad daddy parent parents sister sisters brother brothers sibling siblings son sons daughter
  daughters child children kid kids baby wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée
  grandmother grandma granny nana grandfather grandpa grandparents grandparent grandson granddaughter grandchildren
  grandkids aunt aunts uncle uncles cousin cousins niece nieces nephew nephews family stepmother stepmom stepfather stepdad
  stepson stepdaughter godmother godfather twin twins friend friends bestie roommate roommates flatmate boss manager
  colleague colleagues coworker coworkers neighbor neighbors neighbour neighbours teacher coach therapist doctor dentist
  landlord ex mentor client clients assistant cofounder team folks relatives in-laws mother-in-law father-in-law
  sister-in-law brother-in-law son-in-law daughter-in-law gf bf mam ma hubby missus fella bloke bro sis gran nan grandad
  granddad auntie stepbrother stepsister half-brother half-sister godson goddaughter toddler newborn ex-wife ex-husband
  ex-girlfriend ex-boyfriend mate mates housemate housemates flatmates co-founder supervisor tutor trainer accountant
  lawyer solicitor nanny babysitter employee employees intern interns gp physio`);

/** Animals that people keep. */
export const PETS: ReadonlySet<string> = wordSet(`
  dog dogs cat cats puppy puppies kitten kittens pet pets horse horses rabbit rabbits hamster hamsters parrot parrots bird
  birds fish goldfish turtle turtles tortoise snake snakes lizard lizards iguana ferret guinea pig pigs chicken chickens
  goat goats cow cows poodle labrador retriever beagle bulldog terrier spaniel collie corgi husky pug dachshund shepherd
  greyhound whippet tabby budgie pony`);

/** Words a person uses for one partner; the name fills the same slot. */
export const PARTNERS: ReadonlySet<string> = wordSet(
  'wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée gf bf hubby missus fella',
);

/** Of these a person usually has several: a second name does not take the place of the first. */
export const SEVERAL: ReadonlySet<string> = wordSet(`
  sister brother sibling son daughter child kid baby grandson granddaughter aunt auntie uncle cousin niece nephew stepson
  stepdaughter stepbrother stepsister half-brother half-sister godson goddaughter twin friend bestie roommate flatmate
  housemate colleague coworker neighbor neighbour client employee intern mate toddler newborn bro sis teacher mentor
  mother-in-law father-in-law sister-in-law brother-in-law son-in-law daughter-in-law`);

/** One of several: "kids" → "kid". Null when the word is no plural of people or pets. */
export function singularOf(noun: string): string | null {
  if (noun === 'children') return 'child';
  if (noun === 'puppies') return 'puppy';
  const one = noun.replace(/s$/, '');
  return one !== noun && (KINSHIP.has(one) || PETS.has(one)) ? one : null;
}

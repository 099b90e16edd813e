import { wordSet } from './word-set.ts';

/** People whom a possessive ties to the speaker: what is said of them is not said of the speaker. */
export const KINSHIP: ReadonlySet<string> = wordSet(`
  mother mom mum mommy father dad daddy parent parents sister sisters brother brothers sibling siblings son sons daughter
  daughters child children kid kids baby wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée
  grandmother grandma granny nana grandfather grandpa grandparents grandparent grandson granddaughter grandchildren
  grandkids aunt aunts uncle uncles cousin cousins niece nieces nephew nephews family stepmother stepmom stepfather stepdad
  stepson stepdaughter godmother godfather twin twins friend friends bestie roommate roommates flatmate boss manager
  colleague colleagues coworker coworkers neighbor neighbors neighbour neighbours teacher coach therapist doctor dentist
  landlord ex mentor client clients assistant cofounder team folks relatives in-laws mother-in-law father-in-law
  sister-in-law brother-in-law`);

/** Animals that people keep. */
export const PETS: ReadonlySet<string> = wordSet(`
  dog dogs cat cats puppy puppies kitten kittens pet pets horse horses rabbit rabbits hamster hamsters parrot parrots bird
  birds fish goldfish turtle turtles tortoise snake snakes lizard lizards iguana ferret guinea pig pigs chicken chickens
  goat goats cow cows poodle labrador retriever beagle bulldog terrier`);

/** Words a person uses for one partner; the name fills the same slot. */
export const PARTNERS: ReadonlySet<string> = wordSet(
  'wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée',
);

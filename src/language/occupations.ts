import { withoutEnd } from './without-end.ts';
import { wordSet } from './word-set.ts';

const AGENT_NOUN = /^[a-zà-öø-ÿ-]{3,}(?:er|or|ist|ician|arian|eer|ant|man|woman|smith|wright)$/;
const OTHERS = wordSet(`
  nurse chef cook ceo cto cfo coo vp director student pilot attorney intern founder cofounder co-founder clerk model
  mechanic coach judge vet guard cop surgeon secretary executive representative dev developer pm sre devops analyst
  paramedic librarian physician midwife au-pair nanny diplomat politician freelance freelancer sister registrar associate
  partner principal head lead professor prof lecturer postdoc phd apprentice rep agent priest pastor rabbi imam monk
  soldier sailor marine officer trader temp critic clinician technician musician magician mathematician electrician
  beautician optician statistician guide host hostess steward stewardess barista maid butler
  postie cabbie sparky chippy brickie trucker treasurer qs surveyor millwright chairman sexton verger paralegal carer caretaker janitor postwoman
  postman conductor roofer joiner glazier grader shepherd vicar nun imam florist undertaker`);
// Agent nouns that say what somebody is like, has or belongs to, not what they are paid for.
const OTHERWISE = wordSet(`
  mother father brother sister daughter grandmother grandfather stepmother stepfather lover hater vegetarian member
  christian person human woman man runner reader gamer hunter sleeper riser eater drinker smoker swimmer walker hiker
  dreamer believer supporter follower fan owner user customer subscriber beginner learner newcomer foreigner stranger
  teenager preteen minor senior junior elder loner introvert extrovert thinker talker listener speaker player lifter
  worker survivor donor sponsor voter bachelor widower sinner winner loser quitter hoarder collector libertarian humanitarian
  presbyterian unitarian pescatarian flexitarian fruitarian centenarian octogenarian disciplinarian
  amateur newlywed giant infant elephant restaurant distant important pleasant reluctant ignorant expectant
  bigger smaller older younger taller shorter better worse former late early over under after before ever never
  partner other another either neither number matter corner letter paper water dinner summer winter
  chocoholic foodie vegan minimalist optimist pessimist realist perfectionist feminist atheist racist sexist
  pacifist romantic enthusiast traditionalist idealist materialist narcissist masochist hedonist purist`);

/** Whether a phrase such as "senior product manager at Tado" says what somebody does for a living. */
export function isOccupation(phrase: string): boolean {
  const head = phrase
    .toLowerCase()
    .replace(/^(?:now )?(?:an?|the|also an?) /, '')
    .split(/(?:,| (?:at|for|in|with|of|from|and|who|that|by|on|since)\b)/)[0]
    ?.trim();
  const words = head?.split(/\s+/) ?? [];
  const last = withoutEnd(words.at(-1) ?? '', '.!');
  if (words.length > 5 || OTHERWISE.has(last)) return words.length > 1 && isJobPair(words);
  return OTHERS.has(last) || AGENT_NOUN.test(last);
}

/** "social worker" is a job, "hard worker" is not; "ward sister" and "managing partner" are, "my sister" is not. */
function isJobPair(words: readonly string[]): boolean {
  return /^(?:social worker|care worker|support worker|construction worker|factory worker|office worker|postal worker|key worker|ward sister|(?:managing|senior|junior|general|equity|law) partner|shop owner|business owner|restaurant owner|home owner|(?:football|basketball|baseball|soccer|tennis|hockey|chess|poker|rugby) player|(?:project|team|crew|staff) member|youth worker|public speaker|day trader|bounty hunter|head hunter)$/.test(
    words.slice(-2).join(' '),
  );
}

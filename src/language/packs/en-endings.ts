import { slot, type SlotRule } from './pack.ts';

/** Excludes matches after words about another time, a condition, or an event that nearly happened. */
const NOT_AFTER =
  '(?<!(?<![\\p{L}])(?:when|before|until|till|once|after|day|days|time|if|almost|nearly|since|say|had|as|should|like|that) )';
const HOW =
  '(?:(?:just|finally|actually|officially|already|recently|sadly|literally|basically|also|only|then|now|fucking|bloody) )*';
const OPENING = '(?:so|ok|okay|well|btw|omg|update|news|big news|yay|ugh|anyway|and|but|lol|yes|yeah|no|honestly)';
/** The subject "I have just", or no subject at the beginning of a clause, as in chat: "quit my job today". */
const I_DID = `(?:${NOT_AFTER}i(?:'ve| have)? |(?<=(?:^|[,;:.!] ?)(?:${OPENING}[,:!]? ){0,3}))${HOW}`;
const WE_DID = `(?:${NOT_AFTER}(?:i|we)(?:'ve| have)? |(?<=(?:^|[,;:.!] ?)(?:${OPENING}[,:!]? ){0,3}))${HOW}`;
/** Excludes matches before words about the distant past, or about a game, a story or a dream. */
const NOT_OLD =
  '(?![^.;!?]*(?<![\\p{L}])(?:years? ago|decades? ago|back (?:in|then|when)|once|twice|at the time|when i was|in (?:the|a|my) (?:game|dream|story|film|movie|play|sims)|(?:19|20)\\d\\d)(?![\\p{L}]))';
const NOW = `(?= *(?:[.,;!?:(–-]|$)| (?:last|yesterday|today|tonight|earlier|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:jan|feb|mar|apr|may|june|july|aug|sep|oct|nov|dec)\\p{L}*|a (?:week|month|year|few|couple|while)|an hour|two|three|four|\\d|this|over (?:the|christmas|easter|xmas)|after|for (?:good|real|ever|someone|another|his|her|personal)|but|and|so|because|cos|cause|months?|weeks?|tho|though|lol|rn|now|btw|unfortunately|recently|again|at last|already|at xmas|at christmas)(?![\\p{L}]))`;
const NAME =
  "(?<!(?<![\\p{L}])(?:my|our|the|his|her|their|your|an?|when|if|until|before|after) )(?!(?:he|she|they|you|it|him|her|them|us|this|that|who|someone|somebody|everyone|everybody|nobody|people|mum|mom|dad|band|boss|work|which|what|life|there|and|but|so|the|my|we|i)(?![\\p{L}]))(?<v>\\p{L}[\\p{L}'-]+)";
const PARTED =
  "(?:have |have just |just |finally |recently |officially |sadly |had |'ve )*(?:broke up|broken up|split up|split|separated|got divorced|divorced|(?:are|'re) (?:now |officially )*(?:separated|divorced|over|not together any ?more|no longer together)|aren't together any ?more|(?:are|'re) no longer (?:a couple|an item|together))";
const DROPPED_ME = `(?:dumped me|broke up with me|split up with me|divorced me|walked out on me|left me(?= *(?:[.,;!?:(]|$)| for (?:another|someone|his|her|good|a )))`;
const SACKED = '(?:fired|sacked|laid off|made redundant|let go|booted out|given the sack)';
const STOLEN = '(?:stolen|nicked|pinched|robbed)';
const BIKE = '(?:bike|bicycle|e-?bike|motorbike|scooter)';
const NOT_AN_ALLERGEN =
  '(?!(?:my|your|his|her|their|this|that|you|him|them|it|mornings?|mondays?|work|hard work)(?![\\p{L}]))';
const DIET_IS =
  "(?:thing|diet|phase|experiment|challenge|kick|life)(?:'s| is| was) (?:off|over|done|finished|history|dead)";

/** Rules for values that no longer hold: "our dog Rufus died". They come before the rules that would fill the value. */
export const englishEndings: readonly SlotRule[] = [
  ...slot.denied('employer', [
    `${I_DID}(?:quit|left|lost|resigned from|gave up|jacked in|packed in) my (?:\\p{L}+ )?job (?:at|with|for) (?:the )?<org>${NOT_OLD}`,
    `${I_DID}(?:resigned from|retired from|stopped working (?:at|for)|walked out of my job at) <org>${NOT_OLD}`,
    `${I_DID}(?:(?:got|been|was|have been|just got) )+${SACKED} (?:from|by|at) <org>${NOT_OLD}`,
    '(?:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day) was my (?:very )?last day (?:at|with) <org>',
    '<am> (?:now |officially |finally )*(?:done|finished) (?:at|working (?:at|for)) <org>',
  ]),
  ...slot.denied('job_title', [
    `${I_DID}(?:quit|left|lost|gave up|resigned from) my job as an? <job>`,
    `${I_DID}(?:stopped (?:being|working as)|quit (?:being|working as)|gave up (?:being|working as)) an? <job>`,
  ]),
  ...slot.denied('partner_name', [
    `(?:^|[,.;!:] ?)(?:${OPENING},? )*${NAME} and (?:me|i) ${PARTED}${NOW}`,
    `(?:^|[,.;!:] ?)(?:${OPENING},? )*me and ${NAME} ${PARTED}${NOW}`,
    `${NAME} (?:has |just |has just |finally )*${DROPPED_ME}`,
    `${I_DID}(?:dumped|divorced|broke up with|broken up with|split up with|split (?:with|from)|separated from|finished with|ended (?:it|things) with) ${NAME}${NOW}`,
    `${NAME} (?:is|'s) (?:now |officially |finally |already )*my ex(?:[- ](?:PARTNERS))?(?= *(?:[.,;!]|$)| now)`,
  ]),
  ...slot.denied('pet_name', [
    `(?:had|have had) to (?:put|have) (?:(?:my|our) (?:\\p{L}+ )?(?:PETS),? )?${NAME},? (?:put )?(?:down|to sleep)${NOW}`,
    `(?:my|our) (?:\\p{L}+ )?(?:PETS),? ${NAME},? (?:has |had |just |sadly |suddenly )*(?:died|passed(?: away)?|is (?:dead|gone|no longer with us)|was put (?:down|to sleep)|had to be put (?:down|to sleep)|got run over)${NOW}${NOT_OLD}`,
    `(?:rehomed|gave away|gave up) (?:my|our) (?:PETS),? ${NAME}${NOW}`,
  ]),
  ...slot.denied('car', [
    `${WE_DID}(?:sold|scrapped|got rid of|gave away|totall?ed|wrote off|traded in) (?:my|our|the) (?:old |beloved |trusty |poor )?<car>(?: [\\p{L}\\p{N}-]+)?${NOW}${NOT_OLD}`,
    `${WE_DID}(?:traded|part exchanged) (?:my|our|the) <car> (?:in|for)(?![\\p{L}])`,
    '(?:my|our) <car> (?:is|was|got|has been) (?:sold|totall?ed|written off|scrapped)',
  ]),
  ...slot.denied('allergy', [
    `(?:i'm|i am|i was|we're) (?:actually |apparently |in fact )*(?:not|never|no longer) (?:actually |really |even |in fact )*allergic to ${NOT_AN_ALLERGEN}<words>`,
    `${I_DID}(?:outgrew|outgrown|grew out of|grown out of) my <plain> allergy`,
    "my <plain> allergy(?:'s| is| has)? (?:now |finally |all )*(?:gone|disappeared|cleared up)",
    "my allergy to <plain>(?:'s| is| has)? (?:now |finally |all )*(?:gone|over|disappeared|cleared up)",
    "i can (?:now |finally )*(?:eat|have|take) <plain> again,? (?:(?:my|the) allergy)(?:'s| is| has)? (?:now |finally |all )*(?:gone|over|disappeared|cleared up)",
  ]),
  ...slot.denied('diet', [
    `(?:the |my |this |whole )*<diet> ${DIET_IS}`,
    `${I_DID}(?:quit|gave up|given up|stopped|dropped|ditched) (?:being |the |eating |on |going )*<diet>${NOW}`,
    `<am> (?:now |officially |so )*(?:done|finished) (?:with )?(?:being |the |eating )*<diet>${NOW}`,
  ]),
];

/** Rules that end the known value without naming it: "I quit my job". They come after all rules that name a value. */
export const englishEndingsWithoutValue: readonly SlotRule[] = [
  ...slot.denied('employer', [
    `${I_DID}(?:quit|left|lost|resigned from|jacked in|packed in|walked out of|gave up) my (?:day )?job(?! (?:early|late|interviews?|centre|applications?|hunt\\p{L}*|search|list|site|undone|half|unfinished|for (?:the|an?) (?:day|week|hour|moment)|at \\d|description|offer|sheet|lot)(?![\\p{L}]))(?![\\p{L}'-])${NOT_OLD}`,
    `${I_DID}(?:(?:got|been|was|have been|just got) )+${SACKED}(?! (?:up|early|home|of|off|in|from (?:the|a|an|my|that|his|her)|with|at (?:by|from)|for the))(?![\\p{L}-])${NOT_OLD}`,
    `${I_DID}(?:got|was given|been given) the (?:sack|boot|chop)${NOW}${NOT_OLD}`,
    `${NOT_AFTER}(?:they|my (?:boss|manager|employer|company)) (?:(?:have|has|'ve|just) )*(?:let me go|laid me off|made me redundant|sacked me|fired me)${NOW}${NOT_OLD}`,
    `${I_DID}(?:got|took|taken) (?:voluntary |early )?(?:redundancy|retirement)(?![\\p{L}])${NOT_OLD}`,
    `${I_DID}retired${NOW}${NOT_OLD}`,
    '<am> (?:now |officially |finally |happily |fully )*retired(?= *(?:[.,;!]|$)| (?:now|since|and|but|so|these)(?![\\p{L}]))',
    '<am> (?:now |officially |currently |suddenly )*(?:unemployed|jobless|out of (?:a job|work)|between jobs)(?![\\p{L}])',
    "i (?:don't|no longer) work there(?: any ?more)?(?= *(?:[.,;!]|$))",
  ]),
  ...slot.denied('job_title', [
    `${I_DID}retired${NOW}${NOT_OLD}`,
    '<am> (?:now |officially |finally |happily |fully )*retired(?= *(?:[.,;!]|$)| (?:now|since|and|but|so|these)(?![\\p{L}]))',
  ]),
  ...slot.denied('partner_name', [
    `(?:^|[,.;!:] ?)(?:${OPENING},? )*(?:we|me and my (?:PARTNERS)|my (?:PARTNERS) and (?:me|i)) ${PARTED}${NOW}`,
    `my (?:PARTNERS) (?:has |just |has just |finally )*${DROPPED_ME}`,
    `${I_DID}(?:dumped|divorced|broke up with|broken up with|split up with|split (?:with|from)|separated from|ended (?:it|things) with|left) my (?:PARTNERS)${NOW}`,
    '(?:my|our) divorce (?:is|was|came|went) (?:now |finally |officially )*(?:final|finali[sz]ed|through|done)(?![\\p{L}])',
    '<am> (?:now |officially |newly |finally )*(?:single again|single now|newly single|freshly single)(?![\\p{L}])',
  ]),
  ...slot(
    'partner_name',
    [
      '^(?:so |ok |well |and )*the divorce (?:is|came|went) (?:now |finally |officially )*(?:final|finali[sz]ed|through|done)(?![\\p{L}])',
    ],
    {
      denied: true,
      alone: true,
    },
  ),
  ...slot.denied('car', [
    `${WE_DID}(?:sold|scrapped|got rid of|gave away|totall?ed|wrote off|traded in) (?:my|our) (?:beloved |trusty |poor )?(?:car|van|truck|ute)(?![\\p{L}'-])(?! (?:seats?|keys?|parks?|parking|radio|stereo|tyres?|tires?|parts?|mats?|roof|boot|door|stickers?|insurance|battery|charger|wash|collection|rack|cover|loan|share|pool|trailer|bed|cap)(?![\\p{L}]))${NOT_OLD}`,
    `(?:my|our) (?:car|van|truck|ute) (?:is|was|got|has been|'s been) (?:sold|totall?ed|written off|scrapped|a write[- ]off|${STOLEN})(?![\\p{L}])`,
    `(?:someone|somebody|they) (?:has |have )?(?:stole|nicked|pinched) (?:my|our) (?:car|van|truck|ute)(?![\\p{L}])`,
    "(?:i|we) (?:(?:don't|dont) (?:have|own|drive) (?:a|the) (?:car|van|truck) any ?more|no longer (?:have|own|drive) (?:a|the) (?:car|van|truck))(?![\\p{L}'-])",
  ]),
  ...slot.denied('bike', [
    `(?:my|our) ${BIKE} (?:is|was|got|has been|'s been) (?:sold|scrapped|${STOLEN})(?![\\p{L}])`,
    `(?:someone|somebody|they) (?:has |have )?(?:stole|nicked|pinched) (?:my|our) ${BIKE}(?![\\p{L}])`,
  ]),
  ...slot('car', [`^the (?:car|van) (?:was|got|has been|'s been) ${STOLEN}(?![\\p{L}])`], {
    denied: true,
    alone: true,
  }),
  ...slot('bike', [`^the ${BIKE} (?:was|got|has been|'s been) ${STOLEN}(?![\\p{L}])`], { denied: true, alone: true }),
  ...slot.denied('diet', [
    `(?:^|[,.;!] )(?:${OPENING},? )*(?:i|we)(?:'m|'ve|'re| am| have| are)? ${HOW}(?:eat|eating|back to eating|back on|started eating|gone back to eating|went back to eating|been eating) (?:red )?(?:meat|chicken|beef|pork)(?: and \\p{L}+)? again(?![\\p{L}])`,
  ]),
];

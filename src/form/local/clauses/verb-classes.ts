import { wordSet } from '../../../language/word-set.ts';

/** Verbs that say what a person likes or dislikes. */
export const LIKING: ReadonlySet<string> = wordSet('like love enjoy adore prefer favor favour fancy appreciate dig');
/** Verbs of dislike; negated they say the opposite. */
export const DISLIKING: ReadonlySet<string> = wordSet('hate dislike loathe despise detest');

/** Verbs that say what a person is after. */
export const WANTING: ReadonlySet<string> = wordSet('want aim hope plan intend aspire dream long');

/** Verbs of thinking, saying and reacting: what follows is talk, not knowledge about the speaker. */
export const TALKING: ReadonlySet<string> = wordSet(`
  think know guess agree disagree bet see mean understand feel wonder suppose believe imagine hear say tell ask wish thank
  appreciate promise swear doubt assume expect figure reckon admit recommend suggest apologize apologise relate concur notice
  realize realise consider insist doubt mind forgive congratulate welcome beg fear remember forget sound seem look let
  hope wait get come sense envy encourage second joke kid call matter rock`);

/** What one does right now while chatting; in the progressive it passes within the hour. */
export const PASSING: ReadonlySet<string> = wordSet(`
  do sit talk chat get feel have be sound come enjoy relax wait wonder ask tell joke kid hope look say stand type guess
  head leave run lie miss check rest laugh cry smile begin thank call die act assume suggest refer agree catch hang
  listen hear see imagine mean`);

/** Past events that are worth a memory of their own. */
export const EVENTFUL: ReadonlySet<string> = wordSet(`
  go visit buy start begin finish move marry break win lose run paint build adopt join quit attend travel watch read
  write learn take graduate retire study work live serve grow raise play volunteer teach train divorce relocate complete
  launch publish sell open found create pass fail sign apply interview accept reject receive earn hire fire promote
  celebrate host organize organise plant bake cook sing perform compete swim hike climb bike ride drive fly camp cycle
  injure hurt sprain fracture tear dislocate have give donate save rescue register enroll enrol switch change drop stop give cancel book order
  meet spend make get see try leave bring come spend major coach manage design draw race invest inherit lead
  fall catch discover explore ship deploy migrate collect shoot photograph record film present speak submit defend
  emigrate immigrate settle rent renovate decorate repair fix restore sew knit carve sculpt score place beat
  wed propose engage deliver die survive recover heal diagnose undergo operate suffer convert dye cut shave tattoo put
  sleep walk surf ski skate snowboard dance practice practise participate enter qualify
  eat drink dine stay find set turn show use decide choose pick`);

/** Skills that "can" may introduce as a lasting fact. */
export const SKILLS: ReadonlySet<string> = wordSet(`
  speak play cook swim drive sing dance ski surf code program juggle whistle write bake draw paint knit sew run lift ride
  skate dive type sign fly sail read touch eat drink digest walk fix repair build wear afford sleep smell taste`);

/** Words after which a sentence may continue with the same subject. */
export const CLAUSE_VERBS: ReadonlySet<string> = wordSet(`
  am have work live love like enjoy hate want play study own teach run prefer need collect volunteer drive read write watch
  speak sing dance cook bake paint hope plan dislike was used do wear go make help got moved grew worked studied lived
  sell eat drink listen travel hike swim earn save pay wake`);

/** Adverbs that stand between subject and verb. */
export const VERB_ADVERBS: ReadonlySet<string> = wordSet(`
  always usually often sometimes never rarely seldom really truly also just still currently recently actually definitely
  absolutely totally especially mostly mainly generally normally typically occasionally frequently regularly only even
  already finally once probably personally honestly simply kinda sort kind of certainly particularly both all ever
  barely hardly now then practically virtually figuratively constantly primarily secretly strongly greatly deeply dearly literally obviously clearly basically
  genuinely officially originally previously formerly lately almost nearly quite pretty so very usually thoroughly too
  completely fully easily quickly slowly proudly happily unfortunately luckily sadly myself ourselves temporarily
  permanently newly actively desperately seriously casually long strictly rather last first`);

/** Adverbs that add nothing to a memory. */
export const EMPTY_ADVERBS: ReadonlySet<string> = wordSet(`
  really truly just actually definitely absolutely totally kinda sort kind of honestly simply certainly personally literally
  obviously clearly basically genuinely also so very even quite pretty too then probably now both all unfortunately
  luckily sadly thoroughly last first`);

/** Adjectives after "I am" that describe a moment or are politeness. */
export const PASSING_ADJECTIVES: ReadonlySet<string> = wordSet(`
  glad sure sorry happy excited jealous fine good great okay ok alright well here kidding joking curious afraid impressed
  ready back done off late bored tired exhausted sleepy hungry thirsty confused surprised shocked amazed pleased thrilled
  delighted grateful thankful certain aware serious fascinated flattered honored honoured proud nervous anxious worried
  upset sad angry mad scared embarrassed ashamed relieved disappointed annoyed frustrated overwhelmed stressed swamped busy
  free available right wrong correct able unable willing used supposed bound likely about around home there lucky fortunate
  blessed envious hopeful optimistic stoked pumped psyched touched moved inspired motivated intrigued positive convinced
  determined tempted inclined open new close different similar same better best worse bad awesome amazing wonderful
  fantastic nice cool doing up down out in all still not so too really pretty very more most totally looking it that
  what just me you him her them us as like much many also always never super extremely incredibly completely drained
  starving freezing cold hot warm sick ill thinking guessing assuming happier comfortable familiar concerned welcome
  terrible awful alive dead broke alone content satisfied speechless crazy game dying obsessed lost stuck torn sorta partial eager
  healing better behind ahead currently at on from with to of for keen into over under between by through during without`);

/** Verbs that begin an item of a list such as "read, watch movies, and go hiking". */
export const COMMON_VERBS: ReadonlySet<string> = wordSet(`
  read write watch go play listen cook bake hang hangout spend travel hike bike swim run dance sing paint draw eat drink
  sleep walk ride drive shop work play garden fish hunt camp surf ski skate learn study teach make do take get have be meet
  talk chat help visit explore try collect build create knit sew craft exercise relax party volunteer see stay sit lift
  train practice practise compete perform race climb fly sail kayak gamble grill mow watch clean organize organise plan
  design code program research invest trade blog stream film record photograph shoot meditate pray worship attend serve
  care look feed groom brew taste wear buy sell fix repair restore decorate sketch sculpt act box wrestle golf bowl skateboard
  snowboard jog sprint stretch workout crochet quilt scrapbook barbecue bbq tan lay lounge binge nap snuggle cuddle hug color
  colour solve tell give bring use keep learn speak mentor coach lead manage host entertain throw celebrate enjoy discover find`);

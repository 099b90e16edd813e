import { slot, type SlotRule } from './pack.ts';

const PER = '(?: ?(?:an|a|per|each|/) ?(?:hour|hr|day|week|month|year|mile|word|session|annum))?';
const DAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?';
const COUNT = '(?:one|two|three|four|five|six|seven|\\d)';
const BODY =
  '(?:back|knees?|hips?|shoulders?|ankles?|wrists?|elbows?|neck|spine|hearing|eyesight|achilles|meniscus|acl|cartilage|hamstring|calf|discs?|rotator cuff|collarbone|ribs?|ulna|fibula|tibia|femur|foot|hand|arm|leg|thumb|toe|jaw)';
const HURT =
  '(?:bad|dodgy|torn|broken|fractured|ruptured|sprained|slipped|damaged|trapped|bulging|herniated|frozen|pulled|dislocated|knackered|gammy|busted|shattered|arthritic|banjaxed)';
const NUMBER = '(?:one|two|three|four|five|six|ten|\\d+)';
const GO = '(?:so |well |ok |hi |hello |hey |and |righto |basically |yeah |yes |no |right |mate )*';
const NUMBER_OF = "(?:^|i am |i'm |been |after )(?:\\d+|ten|fifteen|twenty|thirty|forty|[a-z]+ty[- ][a-z]+) ";
const COUPLE = '(?:^|[,.] )(?:so |ok |btw )?(?:we|me and \\p{L}+|\\p{L}+ and (?:me|i)) (?:have |just |have just )?';
/** Excludes clauses about a person who is not related to the user: "the man next door, a retired judge". */
const NOT_OF_OTHERS =
  "(?<!(?:(?:is|was|he's|she's) an?|(?<![\\p{L}])(?:man|woman|bloke|fella|guy|lady|neighbou?r)(?![\\p{L}])[^.;!?]{0,40}) )";
const I_AM = "(?:i'm|i am)";
// In chat the subject is often left out at the beginning of a sentence: "got carpal tunnel", "doing earlies".
const ALWAYS =
  '(?:^|[,;:] |and |but |please )(?:from now on|for the future|in (?:the )?future|going forward|always|every time)[,:]? (?:please |just |only |always )*';
const SUBJECT = `(?:(?:^|[^\\p{L}'])(?:i|we|i've|i'm|i am|i have|we've|we're)(?: also| still| now| just| only| finally| recently)? |^${GO}(?:just |still |also |now |only |finally |currently )?)`;

/** Filled only if the selector keeps the sentence and the clause mentions nobody else: see `SlotRule.likely`. */
const ofTheUser: readonly SlotRule[] = [
  ...slot('job_title', [
    `${NUMBER_OF}years (?:as )?an? <job>`,
    `(?:^|[,.] )(?<v>(?:[\\p{L}-]+ )?{commonJob}) (?:now|these days|by trade|by day|for my sins)(?![\\p{L}])`,
    "(?:they've |they |boss |have )*made me (?:the |an? )?<job>(?=[,.!]|$)",
    '(?:training|studying|learning) to be an? <job>',
    `${NOT_OF_OTHERS}(?:self[- ]employed|freelance|retired|trainee|part[- ]time|newly qualified) (?!is |was |and )<job>(?=[,.!]|$| (?:so|here|in|at|mostly|for)\\b)`,
    'i work as an? (?:freelance |self[- ]employed |part[- ]time )<job>',
    "(?:my job|my job's|my role) is (?:basically |mostly |really )?<job>",
    `${I_AM} in (?:the )?[\\p{L} ]{3,24}, (?!and |but |so |the )<job>(?= at|,|\\.)`,
    `${SUBJECT}start(?:ed|ing) (?:\\S+ ){0,3}?as an? <job>`,
    `(?:i've been|ive been|i have been|i was made|i'm now|i work|i worked|trained|qualified|retrained) (?:as )?an? <job>`,
    '(?:^|, )as an? <job>,? i\\b',
    'for your (?:files|notes|records)[:,]? (?:an? )?<job>',
    "my (?:day job|job|trade)(?:'s| is|,)? (?:an? )?<job>",
    `^${GO}(?:${I_AM} an? )?(?<v>(?:retired|freelance|trainee|junior|senior|assistant|acting|apprentice|qualified|head|deputy|lead|self-employed|sworn|hospital|school|primary|secondary|hgv|pe|red seal) (?:[\\p{L}-]+ ){0,2}?{commonJob})(?=[,.;!]|$| (?:at|in|for|since|here|with|now|as|reporting)\\b)`,
    `${I_AM} (?:the|their|the only|the new|acting|head) (?<v>(?:[\\p{L}-]+ ){0,2}?{commonJob})(?=[,.;!]|$| (?:at|in|for|here|on|now|round)\\b)`,
    'position(?: is|:)? (?<v>(?:[\\p{L}-]+ ){0,2}?{commonJob})(?![\\p{L}])',
    'got the (?<v>(?:[\\p{L}-]+ ){1,2}?{commonJob}) job',
    '(?:got|been) promoted,? (?:to )?(?<v>(?:[\\p{L}-]+ ){1,2}?{commonJob})(?![\\p{L}])',
  ]),
  ...slot('job_title', ['i teach (?<v>[\\p{L}]+)(?=[,.;!]|$| (?:at|in|so|and|i)\\b)'], { value: '{value} teacher' }),
  ...slot('employer', [
    `${SUBJECT}been (?:at|with) <org>(?=,? (?:(?:for |going on |nearly |almost |about ){0,2}\\S+ (?:years?|yrs|months?)|since|a (?:year|month|decade))(?![\\p{L}]))`,
    `${SUBJECT}(?:got hired (?:at|by)|hired (?:at|by)|clean (?:at|for)|teach at|cook at|drive for|nurse at|volunteer at|intern at|temping at) <org>`,
    '(?:my new place|new job|my work|my job|my employer|the day job),? (?:is |at )?<org>(?=[,.!]|$| (?:gives|is|pays|has)\\b)',
    "(?:started|opened|run|own|have|got|work for) (?:an?|my own) (?:[\\p{L}-]+ )?(?:outfit|thing|place|shop|company|business|firm|bakery|garage|practice|studio|charity)(?:,| and)? (?:it's |it is |is )?called <called>(?=[,.!]|$| (?:in|on|by|and)\\b)",
    `${I_AM} with (?:the )?[\\p{L} ]{3,20}, <org>(?=,|\\.|$)`,
    `${SUBJECT}(?:joined|started (?:\\S+ ){0,5}?(?:at|with)|working (?:at|for)|work (?:at|for)) <org>`,
    '(?:company|shop|business|firm|salon|studio|agency|practice|place) (?:is|was) called <called>(?=[,.]|$| (?:on|in|by|and|since)\\b)',
    '(?:my|our|the) (?:little |new |own )?(?:company|shop|business|firm|salon|studio|agency|practice)(?: name)? is <org>',
    `(?<!role )(?<!applied )(?<!interview )(?:at|for|with|by) an? (?:[\\p{L}-]+ ){0,3}?(?:company|agency|firm|startup|start-up|studio|maker|shop|school|hotel|bakery|charity) called <called>`,
    'week (?:one|two|three|four|\\d+) at <org>',
    `${I_AM} (?:still|now) (?:at|with) <org>`,
    `${I_AM} (?:back )?(?:in|to) the (?<v>[\\p{L}-]+ (?:union|hospital|factory|depot|mill|library|post office|council))(?= on| for| since)`,
    `^${GO}(?:for your files: )?${I_AM} (?:an? |the )?(?:[\\p{L}-]+ ){0,2}?{commonJob} (?:at|for|with) (?:the )?<org>`,
    // Without a subject, the words may be about somebody else: "the florist for Oakridge wants a deposit".
    `^${GO}(?:for your files: )?(?!the |my |our |his |her |their |this |that )(?:an? )?(?:[\\p{L}-]+ ){0,2}?{commonJob} (?:at|for|with) (?:the )?<org>(?=[,.;!]|$| (?:and|since|for|in)\\b)`,
    '(?:taking|took|accepted) the <org> (?:job|offer)',
    'i work (?:\\S+ ){0,4}?(?:at|for) <org>',
    '(?:an?|my|the) (?:night |day |early |late |double |long )+shift at <org>',
    "i(?:'ve)? (?:got|do|have) (?:a bit of |some )?work (?:in|at) <org>",
    'my (?:boss|manager|supervisor|shift|shifts|desk|contract|probation|last day|first day) (?:\\S+ )?at <org>',
  ]),
  ...slot('home_city', [
    `${SUBJECT}(?:moved|relocated) (?:back |down |up |over |out )?to <place>(?= (?:for|in|last|because|when|from|two|three|with)\\b|[,.]|$)`,
    `${SUBJECT}(?:live|living|settled) (?:out |up |down |over )?(?:in|near|outside) <place>`,
    "(?:our|my) (?:place|flat|house|home)(?:'s| is) (?:out |up |down )?in <place>",
    "^(?:so |ok |hi |and |we're |i'm |im )*based (?:in|near|out of) <called>(?=[.,]|$)",
    `(?:${I_AM}|we're|we are|i live|we live)(?: here| now| still)? in <town>(?= now\\b|,? so\\b| these days)`,
    "(?:we're|i'm|im|i am) in an? (?:\\S+ ){1,3}?(?:in|at|near) <place>(?= now\\b|,|\\.|$)",
    '(?:found|bought|got|took|signed for|moved into) an? (?:\\p{L}+ )?(?:flat|house|room|place|villa|apartment|condo|cottage|bungalow) (?:out |up |down )?(?:in|at|near) <place>',
    // "Thirty years in Hull" alone may be over: "… and now we're selling up".
    '(?<!after [\\p{L}\\d-]+ )(?:years|months)(?: already| now| here){1,2} in <place>(?=[.,!]|$)',
    '(?:i|we) live in an? (?:\\S+ ){1,3}?in <place>',
  ]),
  ...slot('hometown', [
    'originally from <place>',
    `${NOT_OF_OTHERS}from <place> originally`,
    `${I_AM} a (?:\\p{L}+ )?(?:girl|boy|lad|lass) from <place>`,
  ]),
  ...slot('age', [
    "i(?:'ll| will) be <age>(?= (?:in|next|this|on)\\b|[,.]|$)",
    '^<age> next (?:birthday|month|year|week)',
    "(?:^|[,.;!?] )at <age>,?(?= (?:i|i'm|i've|with|my|you)\\b)",
    '^at <age>[.!]?$',
    `${I_AM} (?:only |just |nearly |now |already )?<age>(?=[,.!]? (?:i|its|it's|not|next)\\b)`,
  ]),
  ...slot('name', [
    '^<name> here(?=[,.!]|$)',
    "(?:^|[,.!] )(?:it is |it's |its |this is |hi,? |hello,? |hey,? )<fullname> (?:here|speaking)(?! (?:for|with|at|to|in|now|tonight|today))\\b",
    '(?:^|[,.!] )(?:this is |hi,? |hello,? |hey,? )<fullname> again\\b',
    '^<wholename> (?:here|speaking)\\b',
    "(?:account|full|legal|real|maiden) name(?: is|'s|:|,)? <fullname>",
    'sign (?:it |off )?(?:as )?<wholename>',
    '(?:^|[,.!:] )(?:hello,? )?i am <fullname> and i\\b',
  ]),
  ...slot('preferred_name', [
    '<name> to (?:you|my friends|friends|everyone|everybody|most people|parents|clients|the lads)\\b',
    "(?:address|call) me (?:as )?(?<v>(?:mr|mrs|ms|miss|dr|prof)\\.? \\p{L}[\\p{L}'-]+)",
    '(?:everyone|everybody|people|they|friends|nobody|the lads|mates) calls? me <anyname>(?! back)',
    "^(?:just |plain )?<name>(?:'s| is) (?:fine|grand|ok)(?![\\p{L}]|,? (?:(?:and|but|though) )?(?:s?he|they)(?![\\p{L}]))",
  ]),
  ...slot('birthday', ["(?:mine|my birthday|i was born)(?:'s| is| was| on|,|:)* (?:the )?<date>"]),
  ...slot('address', [
    "(?:live at |living at |moved (?:in)?to )(?<v>\\d{1,4}[a-z]? (?:\\p{L}[\\p{L}'-]* ){1,3}(?:street|road|lane|drive|avenue|close|court|terrace|crescent|gardens)(?:,? (?:apt|unit|flat|room)\\.? ?\\w+)?(?:, \\p{L}+)?)(?![\\p{L}])",
    "(?:new |my |our |shop |home )+address(?:'s| is|:|(?= \\d)) <street>",
  ]),
  ...slot(
    'medical_condition',
    [
      `${SUBJECT}(?:did|done|hurt|broke|broken|tore|torn|ruptured|fractured|sprained|dislocated) (?:my|the|me) (?<v>(?:\\p{L}+ )?${BODY})(?![\\p{L}])(?![^.;!?]* (?:(?:19|20)\\d\\d|years ago))`,
    ],
    { value: '{value} injury' },
  ),
  ...slot(
    'medical_condition',
    [`(?:^|my |me |the )(?<v>(?:left |right |lower )?${BODY})(?:'s| is| are) ${HURT}(?![\\p{L}])`],
    { value: '{value} problem' },
  ),
  ...slot('medical_condition', [
    `${SUBJECT}(?:get|have|had|got|suffer from) (?:an? |the )?(?<v>panic attacks|heart attack|stroke|seizures|fits|nosebleeds|cold sores|a stammer|stammer|pacemaker|stent|bypass|colostomy|hernia|ulcer)(?![\\p{L}])`,
    `(?:waiting (?:on|for)|having|need|getting|due) (?:an? |my )?(?:new )?(?<v>(?:hip|knee)(?: replacement)?|cataract (?:op|operation|surgery)|hysterectomy|bypass)(?![\\p{L}])`,
    "my (?<v>thyroid|heart|kidneys?|liver|lungs?|prostate|hearing|eyesight)(?:'s| is| are) (?:underactive|overactive|failing|bad|going|enlarged|weak|shot)(?![\\p{L}])",
    `${SUBJECT}diagnosed with (?:an? )?<condition>`,
    `${I_AM} (?<v>deaf in (?:my|the) (?:left|right) ear|blind in (?:my|the|one) (?:left |right )?eye)`,
    `${SUBJECT}(?:got|have|had|got told i've got|got told ive got) (?:an? |the |a touch of )?<condition>`,
    `${SUBJECT}<being>(?=[,.!]|$| (?:so|and|since)\\b)`,
    '(?:found|showed|said) (?:i have |i had |an? )?<condition>(?= at| in|[.,]|$)',
    'tablets? for (?:the|my) (?<v>blood pressure|cholesterol|thyroid|heart|kidneys|diabetes|asthma)',
    `(?:i|i've|my|me|we)(?: \\S+){0,3}? (?<v>${HURT} (?:(?!my |the |me )[\\p{L}]+ )?${BODY})(?![\\p{L}])`,
    `^${GO}(?:a |the |my |got a |got an |two )?(?<v>${HURT} (?:(?!my |the |me )[\\p{L}]+ )?${BODY})(?![\\p{L}])`,
    `(?<v>${BODY}, (?:full |clean |bad |partial |complete )?(?:rupture|break|tear|sprain|fracture))(?![\\p{L}])`,
    "(?:i|i've) (?:wear|have|got|'ve got) (?:my |the )?(?<v>hearing aids?(?: in (?:both|my (?:left|right)) ears?)?)",
    `(?:told|turns out|seems|says) (?:that )?(?:i've|i have)(?: got)? (?:an? )?<condition>`,
    "(?:it's|it is) (?:an? )?<condition>(?=,? (?:so|says|they|the doc|apparently)\\b|[.!]|$)",
    'diagnosed(?: [\\p{L}]+){0,4}?,? (?:with )?(?<v>type (?:1|2|one|two))\\b',
    "my (?<v>blood pressure|bp|cholesterol)(?:'s| is)? (?:\\p{L}+ )?(?:high|up|bad)(?![\\p{L}])",
    'my <condition> (?:is|has|was|plays|flared)',
  ]),
  ...slot('medication', [
    `${SUBJECT}(?:inject|injecting|use|using|started|prescribed) (?:the |my )?<drug>`,
    "(?:they've|they have|doctor has|gp has|they|gp|doctor|consultant)(?: \\p{L}+)? me (?:on|to|onto) (?:the )?<drug>",
    `${SUBJECT}on the (?<v>pill|patch|waiting list for \\p{L}+|blood thinners?|beta blockers)(?![\\p{L}])`,
    '^<drug>(?=[,.]| \\d)',
    `${SUBJECT}(?:on|take|taking|back on) (?:the |my )?<drug>`,
    "(?:i'm|i am|i) (?:still |now |back )?(?:on|take|taking) (?:the |my |two |three )?(?<v>(?:[\\p{L}]+ )?(?:tablets|pills|eye drops|injections|inhaler|thinners?|statins?|antidepressants|steroids|beta blockers))(?![\\p{L}])",
    "(?:they|doctor|doc|gp|hospital)(?:'ve| have|'s| has)? put me on (?:the )?<drug>",
    '^(?:and |just |only |still )*<drug> (?:at night|in the morning|four times|three times|before)',
  ]),
  ...slot(
    'diet',
    [
      "(?:i'm|i am|i've gone) off (?:all |the |my )?<meat>",
      "(?:i|we)(?:'ve| have)? (?:quit|gave up|given up|stopped eating|cut out|dropped) (?:all |the )?<meat>(?! for (?:lent|ramadan|now|january|a|an|the|one|two|three|\\d+)(?![\\p{L}]))",
      'no <meat> for me\\b',
      "i (?:don't|do not|never|can't) (?:do|touch|drink|have) <meat>",
    ],
    { value: 'no {value}' },
  ),
  ...slot('diet', [
    '^<diet>,? (?:so|since|for|here|yes|no)\\b',
    `${I_AM} (?:basically |mostly |strictly |still |now )*<diet>`,
  ]),
  ...slot('school', [
    `(?:${I_AM}|i study|i'm studying|my (?:\\S+ ){1,4}?|i'm doing (?:\\S+ ){1,4}?)(?: \\S+){0,5}? at <school>`,
    "(?:i|i've) (?:just )?(?:picked|chose|got into|got a place at|started at) <school>",
  ]),
  ...slot('degree', [
    `${SUBJECT}(?:doing|finishing|starting|did|finished) (?:an?|the|my) (?<v>(?:master|bachelor|phd|mba|msc|bsc|diploma|pgce|apprenticeship)(?:'?s)?(?: degree)?(?: (?:of|in) [\\p{L}]+(?: [\\p{L}]+)?)?)(?![\\p{L}])`,
    "(?:i'm|i am|i|will be|started|finally) (?:doing|studying|finishing|do|starting|start|did|finished) (?:an?|the|my) (?<v>(?:master|bachelor|phd|mba|msc|bsc|diploma|pgce|apprenticeship)(?:'?s)?(?: degree)?(?: (?:of|in) [\\p{L}]+(?: [\\p{L}]+)?)?)(?![\\p{L}])",
    `${I_AM} (?:in )?(?:my )?(?:first|second|third|fourth|final) year (?<v>[\\p{L}]+(?: [\\p{L}]+)?)(?=[,.;]| at\\b| now\\b)`,
  ]),
  ...slot('working_hours', [
    `${SUBJECT}(?:on|doing) (?<v>nights|days|earlies|lates|evenings)(?= this (?:week|month|year))`,
    '^<hours>(?=,? (?:so i|with an hour|most days|every day|weekdays|three on|four on))',
    `i only (?:work|do) (?<v>mornings|afternoons|evenings|nights|weekends|school hours)(?![\\p{L}])`,
    `(?:${I_AM}|i work|i went|i've gone|gone|now|,) (?<v>part[- ]time|full[- ]time)(?= (?:since|now|at|because|so)\\b|[,.]|$)`,
    'on shift, (?<v>\\d on \\d off)',
    `${SUBJECT}(?:work|working|doing|do|on) (?<v>${DAY} (?:to|till|-) ${DAY})(?![\\p{L}])`,
    `${SUBJECT}(?:work|working|doing|do|on) (?:from )?<hours>`,
    `${SUBJECT}(?:doing|do|on|working|work) (?<v>(?:evenings|nights|days|mornings|weekends|earlies|lates)(?: only)?)(?= (?:now|this year|these days|until|from|for|so)\\b|[,.]|$)`,
    "(?:i work|i do|i'm on|im on|my (?:shift|shifts|hours)(?:'s| is| are)?|day job[^.;\\d]{0,24}|i start at|late shift|early shift|night shift|nights),? (?:from )?<hours>",
    `i (?:go in|work|teach|only work|only do) (?<v>${DAY}(?:(?:,| and| n| to| till| &|-)* ?${DAY})+)(?![\\p{L}])`,
    `^(?:and |i'm |im |i do |i work |[\\d:apm -]+to[\\d:apm -]+ )?(?<v>${COUNT} (?:days |nights |weeks )?on,? (?:and )?${COUNT} (?:days |nights |weeks |week )?(?:off|home))`,
    `(?:i|for me it is|i do|\\d) (?:\\S+ ){0,3}?(?<v>${COUNT} (?:days |nights |weeks )?on,? (?:and )?${COUNT} (?:days |nights |weeks |week )?(?:off|home))`,
    `${I_AM} (?<v>on call (?:every|one in|each)[\\p{L} ]{3,24})`,
    `${I_AM} (?:only |on |at |down to )*(?<v>\\d\\d? ?(?:hours|hrs)(?: a week)?)(?=[,.]|$| now\\b| so\\b)`,
    `(?:i'm|i am|i) (?:doing|do|on|working|work) (?<v>(?:evenings|nights|days|mornings|weekends|earlies|lates)(?: only)?)(?= (?:now|this year|these days|until|from|for|so)\\b|[,.]|$)`,
    `(?:i'm) capping it at (?<v>${NUMBER} days a week)`,
    '(?:we|i) (?:open|opened) <hours>',
    '(?:swap|swapping|switch|switching|switched|moved|moving|going|back|changed)(?: over| back)? to (?:the )?(?:days|nights|earlies|lates|evenings|mornings)[^.;\\d]{0,20} <hours>',
    '(?:going|gone|dropping|dropped|went|cutting)(?: back| down) to (?<v>(?:\\d|two|three|four) days(?: a week)?)(?= from| starting| in|[,.]|$)',
    `(?:work|working|shifts?|job|rota|hours|switching to)[^.;!?]{0,60}? (?<v>${DAY}(?:(?:,| and| n| to| till| &|-)* ?${DAY})+,? \\d{1,2}(?:[:.]\\d\\d)?(?: ?[ap]m)? ?(?:to|till?|-|–) ?\\d{1,2}(?:[:.]\\d\\d)?(?: ?[ap]m)?)(?![\\d%])`,
  ]),
  ...slot('salary', [
    "my salary(?:'s| is) <money>",
    `${SUBJECT}(?:make|earn|clear|take home) (?:about |around |roughly )?<money>`,
    `i(?:'ve been|ve been|'m| am)? (?:charge|charging|asking|made|making|earning|clearing|get|getting)(?: about| around| roughly)? <money>${PER}`,
    "(?:the |my )?(?:money|wage|wages)(?:'s| is) <money>",
    "(?:the|my) pay(?:'s| is) <money>",
    '(?:salary|pay|wage)[^.;\\d]{0,16} (?:from )?[\\d.,]+k? (?:to|become|became) <money>',
    `^(?:it |job |that |the job )?pays <money>${PER}`,
    `${I_AM} on <money>`,
  ]),
  ...slot('budget', [
    "(?:i|we)(?:'ve| have)?(?: got)? <money> (?:saved|saved up|to spend|put aside|set aside)",
    "(?:my|our) (?:\\S+ )?(?:budget|outgoings|savings)(?:'s| is| are) (?:about |around )?<money>",
    "^budget(?:'s| is)? <money>(?= (?:all in|max|and not|for everything|total)|[.,]|$)",
  ]),
  ...slot('rent', [
    "(?:flatmates?|housemates?|roommates?|rent|landlord)[^.;!?]{0,120}? my (?:share|half|part)(?:'s| is)(?: now)? <money>",
    "(?:my |the |our )?rent(?:'s| has)? (?:went|gone|going|goes) up to <money>",
    `${SUBJECT}paying <money>(?: \\p{L}+)? for (?:an?|the|this|my) (?:\\S+ )?(?:room|flat|studio|place|apartment)`,
    '(?:found|took|got|renting|rent|signed for) (?:an?|the|this) (?:\\S+ )?(?:flat|room|place|apartment|studio)(?: [^.;\\d]{0,30})?,? (?:for|at) <money>',
    "(?:my|our) rent(?:'s| is|,)(?: [^.;\\d]{0,16})? <money>",
  ]),
  ...slot('hobby', [
    `${SUBJECT}(?:do a bit of|been doing|go|been|do) <activity>(?= (?:every|on|since|in the|most|at the|when|and can't)\\b|[,.]|$)`,
    "my (?:thing|passion|escape|hobby)(?:'s| is) (?!i )<words>",
    `${SUBJECT}(?:have |got |'ve )?(?:an?|my) (?<v>allotment|greenhouse|pottery wheel|model railway|telescope)(?=[,.]|$| (?:and|where|in|at)\\b)`,
    'i make my own <plain>',
    '^<activity>, (?:mostly|mainly|whenever|when)',
    '^<activity> (?:is|was) (?:what i|my|for me)',
    `^(?:and |so )?obsessed with <words>`,
    '(?:^|and |but |, )i (?:collect|restore|breed|brew|carve|forage|grow|model in|keep|build) (?!my |the |him|her|it|them|you|an? |going|getting|having|thinking|asking|telling|turning|forgetting|in |on |up |to |for )<words>',
    `(?:${DAY}|${DAY} (?:mornings?|afternoons?|evenings?|nights?)|weekends?|evenings?) (?:is|are|'s) for (?:my )?<words>`,
    `${I_AM} obsessed with <words>`,
    "i(?:'ve| have)? (?:taken up|took up) <words>",
    `${I_AM} in (?:an?|the|my|our) (?:[\\p{L}-]+ ){0,3}?<club>`,
    '(?:^|[,.] )(?<v>(?:[\\p{L}]+ )?(?:singing band|church choir|book club|quiz team|chamber choir|ukulele group))(?![\\p{L}])',
    'has me doing <activity>',
  ]),
  ...slot('sport', [
    `${SUBJECT}(?:playing|play|back playing|back at) (?:the )?<sport>`,
    'i (?:still |also |now )?(?<v>swim|jog|climb|row|surf|ski|cycle|box|golf|kayak)(?= (?:every|on|at|in the|twice|three|most|badly)|[.,!]|$)',
    '(?:training|train) for (?:the |my |an? )(?:\\S+ ){0,2}?(?<v>marathon|half marathon|triathlon|10k|ironman)(?![\\p{L}])',
    '(?:i|started|started doing|playing) (?:\\S+ )?<sport>(?= (?:w |with |on |every |again))',
  ]),
  ...slot('instrument', [`${SUBJECT}(?:play|playing|learning|practising) (?:the )?<instrument>`]),
  ...slot.firm('diet', [`${SUBJECT}(?:can't|cannot|can not) (?:eat|have) (?:the |any )?<allergen>`], {
    value: 'no {value}',
  }),
  ...slot('favourite_film', [
    "(?:^|my |all[- ]time |and |so )(?:favou?rite|fave?) (?:film|picture|movie|show|series)(?: [\\p{L}]+)?(?:'s| is|:) <words>",
  ]),
  ...slot('favourite_book', [
    "(?:^|my |all[- ]time |and |so )(?:favou?rite|fave?) (?:book|novel|author|writer)(?: [\\p{L}]+)?(?:'s| is|:) <words>",
  ]),
  ...slot('favourite_food', [
    "(?:^|my |all[- ]time |and |so )(?:favou?rite|fave?|best) (?:food|dish|meal|cake|snack)(?: on (?:god's )?earth)?(?:'s| is|:) <words>",
  ]),
  ...slot('favourite_music', [
    "(?:^|my |all[- ]time |and |so )(?:favou?rite|fave?) (?:music|band|song|singer|artist|album|composer)(?: [\\p{L}]+)?(?:'s| is|:) <words>",
  ]),
  ...slot('favourite_place', [
    "(?:^|my |all[- ]time |and |so )(?:favou?rite|fave?|best) (?:place|spot|beach)(?: on (?:god's )?earth| in the world)?(?:'s| is|:) <words>",
  ]),
  ...slot(
    'relationship_status',
    [
      `${COUPLE}(?:broke up|split up)(?! (?:the|an?|our|my|his|into|to|at|in|for the|for a|it|and (?:met|looked|searched))(?![\\p{L}]))(?![\\p{L}])`,
    ],
    { value: 'separated' },
  ),
  ...slot('relationship_status', [`${COUPLE}(?:got|are) engaged(?![\\p{L}])`], { value: 'engaged' }),
  ...slot('relationship_status', [`${COUPLE}are (?:official|a couple|dating)(?![\\p{L}])`], {
    value: 'in a relationship',
  }),
  ...slot('relationship_status', [`${COUPLE}got married(?![\\p{L}])`], { value: 'married' }),
  ...slot('relationship_status', [`${COUPLE}are getting married(?![\\p{L}])`], { value: 'getting married' }),
  ...slot('relationship_status', [
    '^(?:so |ok |btw )?(?<v>split|separated|divorced) from \\p{L}+',
    `${I_AM} (?<v>getting (?:wed|married|divorced|hitched)|not married|single again)(?![\\p{L}])`,
  ]),
  ...slot('language', [
    '(?:i|we) (?:speak|translate|read)(?: [\\p{L}]+){0,3}? <language>',
    'i (?:\\S+ ){1,4}?better in <language>',
  ]),
  ...slot('phone_number', [
    "(?:my|our|new) (?:(?!card|credit|debit|account|bank|room|flat|house|order|licence|license|passport|plate|tax|social|insurance|policy|case|ticket|invoice|booking|reference|ref|pin|serial|customer|member)\\S+ )?(?:number|phone|mobile|cell)(?: for us)?(?:'s| is|,|:)? <phone>",
  ]),
  ...slot('car', [
    'the <car> is mine',
    `${SUBJECT}(?:drive|driving) (?:an? |the |my )?(?:old |wee |tiny |battered |company )?<car>`,
    '(?:with|in|of|drive|driving|towing with) (?:the|my|our) (?!golf|seat|jazz|leaf|civic|polo|focus|fiesta|mini|smart|fox|transit)<car>',
    '^<car>(?=[,.]|$)',
    "(?:my|the) (?:van|vans|truck|ute|car)(?:'s| is)? (?:an? |the )?(?:\\S+ )?<car>",
    '(?:get|got|bought|have) an? <car>',
  ]),
  ...slot('bike', ["(?:i ride|i got|i bought|my bike(?:'s| is)) (?:an?|my) <bike>"]),
  ...slot('answer_length', [
    '(?<v>one (?:paragraph|sentence|line)|two (?:sentences|lines)) is (?:plenty|enough|fine)',
    '(?:too long|too wordy)[^.]{0,20}?,? (?<v>shorter)(?:,? please|,? pls|[.!]|$)',
    '^<length>(?:,? please|,? pls)?[.!]?$',
    "(?:keep|make) (?:it|them|things|answers|your answers|replies) <length>,?(?= (?:with me|when i|whenever|because i|cos i|in here|i read|i'm reading|i am reading|please,? i|always)\\b)",
    `(?:always|answers?|replies|messages to me)(?: [\\p{L}]+){0,3}?,? (?<v>(?:never more than |max |at most |to )?(?:${NUMBER}|a few|a couple of) (?:short )?(?:sentences?|lines?|words)(?: max| at most)?)(?=[.,!?]|$| (?:every|always|with me|when)\\b)`,
    'you can write (?<v>proper|full|longer|shorter) (?:answers|replies)',
  ]),
  ...slot(
    'answer_tone',
    ["(?:talk|speak|explain(?: it| things)?)(?: to me)? (?<v>like i'm (?:five|\\d+|stupid|a child))"],
    {
      standing: true,
    },
  ),
  ...slot('answer_tone', [
    "(?<v>don't sugar-?coat)",
    '(?:use|in|keep to|with|just|write|more|^|and|wording) (?<v>(?:plain|simple|normal|ordinary|everyday|easy) (?:words|english|language|talking|wording))(?= (?:with me|please|first|now|always|for me|again)\\b|[.,!]|$)',
    '(?:write (?:it )?|talk |speak )(?<v>like a (?:person|human)|normal|straight)(?![\\p{L}])',
    `(?:be|stay) <tone>(?=,? (?:with me|if my|i can|please, i|always)\\b)`,
  ]),
  ...slot(
    'answer_tone',
    [
      "(?:no|skip|without|less|never|none of)(?: [\\p{L}']+)? (?<v>jargon|big words|fancy words|big english|small talk|fluff|pep talks?|flattery|waffle|pleasantries)(?![\\p{L}])",
      "(?:don't|do not|stop) (?:use|using|with|giving me|give me)(?: [\\p{L}']+)? (?<v>jargon|big words|fancy words|big english|small talk|fluff|pep talks?|flattery|waffle|pleasantries)(?![\\p{L}])",
    ],
    { value: 'no {value}', firm: true },
  ),
  ...slot('answer_format', [
    '(?:when(?:ever)?|any ?time|every time) (?:i|you) (?:ask|answer|reply|write|give|name|edit|explain|list|say|make|quote)[^,:;.]{0,50}[,:] <clause>',
    // "Always use pnpm" is no order about answers.
    `${ALWAYS}(?:(?:use|write|mark|include) (?=[^.;!?]*(?<![\\p{L}])(?:{format}|{ofAnswers})(?![\\p{L}]))|(?:give|show|list|number|answer|reply|state|tell me) )(?:(?:me|it|them|with|in) )*(?!(?:in )?{language}(?![\\p{L}]))<clause>`,
    `<format> (?:is|are) (?:fine|best|good|better|easier)(?: for me)?(?![\\p{L}])`,
    'i do best with <format>',
    'i like (?:an? |my )?<format> for (?:anything|everything|all|lists|prices)',
    '^(?<v>numbers|steps|facts|links|code) only\\b',
    '(?:in|use|only|give me|give it in|everything in) (?<v>(?:feet|inches|metric|imperial|kilos|ounces|cups|celsius|fahrenheit|kilomet(?:re|er)s|24[- ]hour)(?:(?:,| and| not)+ [\\p{L}]+){0,3})',
    `(?<v>${NUMBER} (?:suggestions|options|bullets|bullet points|points|choices|examples) (?:at most|max|maximum|tops))`,
    '(?<v>(?:code|the answer|answer|result|numbers?|the total|total|summary|conclusion|the diff|plain words|drills|short version)[\\p{L} ]{0,12} first,? (?:and )?(?:then [\\p{L} ]{3,25}|always))',
    "please correct (?:always )?(?<v>my (?:english|spelling|grammar)[\\p{L}' ]{0,24})",
  ]),
  ...slot(
    'answer_format',
    [`(?:don't|do not|never) give me more than (?<v>${NUMBER} (?:options|choices|suggestions|things|steps))`],
    { value: 'at most {value}' },
  ),
  ...slot(
    'answer_format',
    [
      `(?:^|[,.] |and |but )(?:please )?(?:no|never|stop the|stop with the|skip the|without|don't use|dont use|do not use|do not answer in|don't answer in) (?:any |more )?(?<v>emojis?|smileys?(?: faces)?|bullet points|bullets|bullet things|dots|exclamation marks|paragraphs|essays)(?![\\p{L}])`,
    ],
    { value: 'no {value}', firm: true },
  ),
  ...slot('answer_language', [
    '(?:answer|reply|speak|write|talk)(?: to me| with me| me)? (?:back )?in <language>(?=,? (?:from now on|please, i|always|unless|when)\\b)',
    '(?:in|to|use|keep to) (?<v>(?:british|american) (?:english|spelling|usage))(?= in | please|[.,]|$)',
    '^<language> only\\b',
  ]),
];

/** Rules for slots that name a relative of the user. They are filled even if the sentence mentions other people. */
const ofOthers: readonly SlotRule[] = [
  ...slot('partner_name', [
    "(?:my|me|the) (?:fella|fellow|bloke|old man|old lady|better half|other half|mrs|missus|hubby|husband|wife|wifey|lady),? <name>(?=,|\\.|$| (?:is|says|said|thinks|has|bought|does|wants|made|took|never|always|and i|got|goes|won't)\\b)",
    "^(?:and |so )?(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?)(?: is|'s|:|,) <name>(?=[,.!]|$)",
    '(?:himself|herself), <name>,',
    'me (?:and|n|&) <name>(?= are (?:official|dating|engaged|getting married))',
    '<name> and (?:me|i) are (?:official|dating|engaged|getting married)(?![\\p{L}])',
    "(?:she's|he's) my (?:PARTNERS)(?: now)?, <name>",
    "my (?:PARTNERS)'?s? (?:is )?(?:called|named) <name>",
    `${SUBJECT}(?:married|marrying|engaged to|living with|moved in with) <name>`,
    '(?:^|and |but |, )my <name>(?= and i\\b)',
  ]),
  ...slot('child_name', [
    "^(?:i've |we've |i have |we have |got )*(?:an? |two |three )(?:boys?|girls?|sons?|daughters?|kids),? <name>(?=,|\\.|$| and\\b)",
    "^(?:i've |we've |i have |we have |got )*(?:two|three) (?:boys|girls|sons|daughters|kids),? \\p{L}+(?:, \\p{L}+)? and <name>",
    '(?:my|our|two|three|the) (?:two |three |four |little )?(?:kids|children|boys|girls|little ones|twins|sons|daughters)(?: are| called|,|:) (?:called )?<name>',
    "(?:have|have got|'ve|'ve got|got|my|our) (?:two |three |four |little |both )*(?:kids|children|boys|girls|little ones|twins|sons|daughters)\\W+(?:\\S+ ){1,6}?(?:and|&) <name>",
    "(?<!(?:name|naming|call|calling) )(?:the|our) (?:boy|girl|wee one|little one|little fella|little man|baby|eldest|youngest|oldest),?(?: is| is called|'s)? <name>(?=[,.!]| (?:is|he's|she's|hes|shes|and|has|who|btw|needs|got|was)\\b|$)",
    "(?:my|our) (?:eldest|youngest|oldest|middle one|little one|firstborn|toddler),?(?: is|'s)? <name>",
    '(?:the|my|our) (?:kids|boys|girls|children|twins|little ones)[^.;]{0,40}?[,.:] <name> is \\d{1,2}(?![\\d:]| ?(?:min|hour|euro|quid|%))',
    '(?:the|my|our) (?:kids|boys|girls|children|twins|little ones)[^.;]{0,40}?[,.:] \\p{L}+ is \\d{1,2},? and <name> is \\d{1,2}(?![\\d:])',
    `${SUBJECT}(?:had|have|got) (?:a |our )(?:baby |little )?(?:girl|boy|son|daughter)[,.:] (?:called |named )?<name>`,
  ]),
  ...slot('pet_name', [
    '(?:our|my) (?:\\S+ )?(?:PETS),? (?<v>(?:mr|mrs|sir|lady|captain|princess) \\p{L}+)(?![\\p{L}])',
    `${SUBJECT}(?:got|have|adopted|'ve got) an? (?:\\S+ )?(?:PETS), <name>(?=,|\\.|$)`,
    "(?:the|our|my) (?:\\S+ )?(?:PETS)(?: is|'s| is called|'s called| named) <anyname>(?=[,.!]|$| (?:she|he|by|btw)\\b)",
    "(?:she's|he's|shes|hes) an? (?:[\\p{L}-]+ ){0,2}?(?:PETS|huntaway|kelpie|mongrel|rescue|mutt|heeler|lurcher)(?: cross)?,? <name>",
    "(?:^|and )<name>(?:'s| is) (?:my|our|the) (?:[\\p{L}-]+ )?(?:PETS)\\b",
  ]),
  ...slot(
    'relationship_status',
    [
      'my late (?:husband|wife)',
      'my (?:husband|wife)(?: [\\p{L}]+)? (?:died|passed(?! (?:an?|the|his|her|my|me|on|out|by|through)(?![\\p{L}])))',
      '(?:the|my) (?:husband|wife),? god rest',
    ],
    { value: 'widowed', firm: true },
  ),
];

export const englishLikely: readonly SlotRule[] = [
  ...ofTheUser.map((rule): SlotRule => ({ ...rule, likely: 'alone' })),
  ...ofOthers.map((rule): SlotRule => ({ ...rule, likely: 'kept' })),
];

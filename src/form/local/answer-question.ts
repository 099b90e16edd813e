/** A full first-person sentence made from a short answer and its question. */
export interface ExpandedAnswer {
  text: string;
  /** A bare yes or an echo is less sure than an answer in words. */
  sure: boolean;
}

const YES =
  /^(?:oh |well |haha |lol )*(?:yes|yeah|yep|yup|yea|sure|of course|absolutely|definitely|i do|i am|i have|indeed|totally|certainly|i sure do)\b[\s,.!]*(?:i (?:do|am|have|can)(?! (?:not|n't))\b)?[\s,.!]*/i;
const NO =
  /^(?:oh |well |haha |unfortunately,? |sadly,? )*(?:no|nope|nah|not really|not yet|i don't|i do not|i'm not|i am not|i haven't|i have not|never|none)\b[\s,.!]*(?:i (?:don't|do not|am not|'m not|haven't|have not)\b)?[\s,.!]*/i;
const FILLER =
  /^(?:(?:oh|well|hmm|um|uh|probably|definitely|mostly|usually|currently|mainly|just|it's|its|it is|that's|that would be|that'd be|i would say|i'd say|i'd have to say|i would have to say|i think|i guess|mine is|mine are|(?:his|her|its|their) names? (?:is|are)|they are|they're|it would be|it'd be|has to be|gotta be|i'm|i am|for me|lately|honestly|right now|at the moment|maybe|actually)\b,? ?)+/i;
const OWN_CLAUSE = /\b(?:I|I'm|I've|I'd|I'll|my|we|our|it|they|he|she|you|your|that's|there)\b/i;
const VERB_QUESTION =
  /^do you (?:also |still |really |usually |ever )?((?!think|know|mean|see|remember|understand|agree|need|mind|feel|get|say|want (?:to|me)|happen|hear|care|guess|suppose|recommend|ever\b)[a-z]+)\b ?(.*)$/i;

/** Completes an elliptical answer ("Yes, two dogs.") from the question it answers, or gives null. */
export function answerQuestion(question: string, answer: string): ExpandedAnswer | null {
  const asked = question
    .replace(/[?!.\s]+$/, '')
    .replace(
      /^(?:so|and|oh|well|hey|cool|nice|great|ok|okay|wow|btw|by the way|anyway|that's \w+|interesting|then|now)[,.!]? /i,
      '',
    )
    .replace(/\bwhat's\b/i, 'what is')
    .replace(/\bwhere're\b/i, 'where are');
  const replied = answer.trim().replace(/[.!\s]+$/, '');
  if (asked.length > 160 || replied.length > 160 || replied === '') return null;
  return yesOrNo(asked, replied) ?? named(asked, replied);
}

function yesOrNo(asked: string, replied: string): ExpandedAnswer | null {
  const yes = YES.exec(replied);
  const no = yes === null ? NO.exec(replied) : null;
  const rest = replied.slice((yes ?? no)?.[0].length ?? 0).replace(/^(?:and|but) /i, '');
  const owns = /^(?:do you have|have you got|got) (?:any |a |an )?(.+)$/i.exec(asked)?.[1];
  const object = cleanObject(owns);
  if (object !== null) {
    if (no !== null)
      return OWN_CLAUSE.test(rest) && !/^(?:I|but)/i.test(rest)
        ? null
        : { text: `I don't have any ${object}`, sure: rest === '' || /^i don'?t/i.test(replied) };
    if (
      isNounPhrase(rest) &&
      (yes !== null || /^(?:just |only )?(?:an?|one|two|three|four|five|six|\d+|some)\b/i.test(rest))
    )
      return { text: `I have ${countOf(rest, object)}`, sure: true };
    if (yes !== null && (rest === '' || /^i do\b/i.test(rest))) return { text: `I have ${object}`, sure: false };
    return null;
  }
  if ((yes === null && no === null) || (rest !== '' && isNounPhrase(rest) === false && !/^I\b/.test(rest))) return null;
  const offered = cleanObject(
    /^(?:should|shall|can|may|do you want|would you like|want) (?:i|we|me to|us to) (?:go (?:ahead )?with|use|pick|choose|take) (.+)$/i.exec(
      asked,
    )?.[1],
  );
  if (offered !== null) return { text: `I ${no === null ? 'chose' : 'decided against'} ${offered}`, sure: true };
  const verb = VERB_QUESTION.exec(asked);
  const verbObject = cleanObject(verb?.[2]);
  if (verb?.[1] !== undefined && verb[2] === '')
    return { text: `I ${no === null ? '' : "don't "}${verb[1].toLowerCase()}`, sure: false };
  if (verb?.[1] !== undefined && verbObject !== null)
    return { text: `I ${no === null ? '' : "don't "}${verb[1].toLowerCase()} ${verbObject}`, sure: false };
  const state = cleanObject(
    /^are you (married|single|vegan|vegetarian|retired|religious|divorced|an? .+|from .+|allergic to .+|in (?:college|school|high school))$/i.exec(
      asked,
    )?.[1],
  );
  if (state !== null) return { text: `I am ${no === null ? '' : 'not '}${state}`, sure: false };
  const done = cleanObject(
    /^have you ever ((?:been|had|tried|played|visited|lived|worked|travelled|traveled|eaten|ridden|driven|seen|read|flown) .+)$/i.exec(
      asked,
    )?.[1],
  );
  return done === null ? null : { text: `I have ${no === null ? '' : 'never '}${done}`, sure: false };
}

/** Questions for a value: the answer names it. Tried in this order. */
const VALUE_QUESTIONS: ReadonlyArray<readonly [RegExp, (value: string, object: string) => string]> = [
  [
    /^what (?:is|are|was|would you say is) your (?:all-time )?favou?rite (?:type of |kind of |kinds of )?([\w' -]{2,40})$/i,
    (value, object) =>
      object === '' ||
      /^(?:thing|part|aspect)\b/i.test(object) ||
      /^(?:so|very|really|too|a lot|pretty|definitely so)\b/i.test(value)
        ? ''
        : `My favorite ${object} is ${value}`,
  ],
  [
    /^what do you do(?: for (?:work|a living|your job|money|a job))?$|^what (?:is|kind of work|sort of work|type of work)(?: do)? (?:your (?:job|profession|occupation)|you do)|^what do you do\b.*(?:work|living)/i,
    (value) =>
      /^(?:an?|the)\b/i.test(value)
        ? `I am ${value}`
        : /ing\b/.test(value)
          ? `I do ${value} for work`
          : `I work as ${value}`,
  ],
  [
    /^where (?:do you live|are you living|do you live now)/i,
    (value) => `I live ${/^(?:in|near|at|on|outside)\b/i.test(value) ? value : `in ${value}`}`,
  ],
  [
    /^where (?:are you (?:originally )?from|do you come from|were you born)/i,
    (value) => `I am from ${value.replace(/^(?:in|from) /i, '')}`,
  ],
  [/^where do you work/i, (value) => `I work ${/^(?:at|for|in)\b/i.test(value) ? value : `at ${value}`}`],
  [
    /^how old are you/i,
    (value) => (/^\d{1,3}\b/.test(value) ? `I am ${value.replace(/^(\d+)$/, '$1 years old')}` : ''),
  ],
  [
    /^what (?:is|was) your (?:name|first name)$/i,
    (value) => (/^\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?$/u.test(value) ? `My name is ${value}` : ''),
  ],
  [
    /^what (?:do you (?:like|enjoy|love) (?:to do|doing)|are your hobbies|hobbies|do you do (?:for fun|in your (?:free|spare) time)|(?:kind|type|sort)s? of \w+(?: \w+)? do you (?:like|enjoy|listen to|read|watch|play)|\w+(?: \w+)? do you (?:like|enjoy))/i,
    (value) => `I like ${value}`,
  ],
  [
    /^what (?:is|are) your ([\p{L} ]{2,30}'s?) names?$/iu,
    (value, object) => (/^\p{Lu}[\p{L}'-]+$/u.test(value) ? `My ${object} name is ${value}` : ''),
  ],
  [
    /^how many ([\w ]{2,20}?) do you have/i,
    (value, object) =>
      /^(?:just |only )?(?:one|two|three|four|five|six|seven|eight|\d+|a couple)\b/i.test(value)
        ? `I have ${countOf(value, object)}`
        : '',
  ],
  [
    /^what (?:kind|type|sort|breed)s? of [\w ]{2,20} do you have/i,
    (value) => (/^(?:an?|one|two|three|\d)\b/i.test(value) ? `I have ${value}` : ''),
  ],
  [
    /^how long have you (?:been )?(\w+ing .{2,40}|worked .{2,40}|lived .{2,40}|had .{2,40})$/i,
    (value, object) =>
      /^(?:for|since|about|almost|over|\d|a |an |one|two|three|four|five|six|seven|eight|nine|ten)/i.test(value)
        ? `I have ${/ing\b/.test(object.split(' ')[0] ?? '') ? 'been ' : ''}${object} ${/^(?:for|since)/i.test(value) ? value : `for ${value}`}`
        : '',
  ],
];

function named(asked: string, replied: string): ExpandedAnswer | null {
  for (const [pattern, write] of VALUE_QUESTIONS) {
    const match = pattern.exec(asked);
    if (match === null) continue;
    const value = replied.replace(FILLER, '').trim();
    if (
      !isNounPhrase(value) ||
      /^(?:yes|no|not|thanks|same|me too|none|nothing|anything|everything|all|good|great|that|what|how|oh|wow|cool|because|nice|hi|hello|really)\b/i.test(
        value,
      )
    )
      return null;
    const text = write(lowerFirst(value), cleanObject(match[1]) ?? '');
    return text === '' ? null : { text, sure: true };
  }
  return null;
}

/** No clause of its own: no subject, no finite verb that rules would find. */
function isNounPhrase(text: string): boolean {
  return (
    text !== '' &&
    !OWN_CLAUSE.test(text) &&
    text.split(/\s+/).length <= 14 &&
    !/\b(?:is|are|was|were|has|have|do|does|can|would|sounds?|looks?)\b/i.test(text)
  );
}

function cleanObject(text: string | undefined): string | null {
  const object = (text ?? '')
    .replace(/^(?:any|an?|some) (?=\w)/i, (article) => (/^any|some/i.test(article) ? '' : article))
    .replace(
      / (?:too|as well|at all|much|often|a lot|yourself|of your own|at home|right now|then|or (?:siblings|pets|kids|hobbies|anything))$/i,
      '',
    )
    .trim();
  return object === '' ||
    /\b(?:it|that|this|these|those|them|there|you|your|one|ones|else|what|any|him|her|plans|questions?|ideas?|recommendations?|suggestions?|advice|time|favou?rites?|tips|fun|trouble|experience)\b/i.test(
      object,
    )
    ? null
    : object;
}

function countOf(answer: string, object: string): string {
  return /^(?:just |only )?(?:one|two|three|four|five|six|seven|eight|\d+|a couple|some)$/i.test(answer)
    ? `${answer} ${object}`
    : answer;
}

function lowerFirst(text: string): string {
  const first = text.split(/[\s,]/)[0] ?? '';
  const commonWord =
    /^(?:An?|The|My|Just|Only|Two|Three|Four|Five|One|In|At|For|Since)$/.test(first) || first.endsWith('ing');
  return commonWord ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

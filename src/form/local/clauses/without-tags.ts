// What people hang on a sentence, before or after it, and that says nothing of what it states.
const TAGS =
  "by the way|btw|fyi|for your information|just so you know|just so you're aware|jsyk|to be honest|to be fair|to be clear|" +
  "tbh|not gonna lie|ngl|honestly|frankly|for what it's worth|fwiw|for the record|believe it or not|just saying|imo|imho|" +
  'in my opinion|if you ask me|(?:ha){2,6}h?|hehe|lol|lmao|rofl|omg|woo-?hoo|woop woop|yay|hooray|phew|sigh|ugh|argh|of course|' +
  'sadly|unfortunately|luckily|fortunately|thankfully|thank god|thank goodness|needless to say';
// Only after a sentence: before one they say when, or take something back.
const LAST =
  "finally|obviously|you know|you see|so yeah|i'm afraid|no big deal|no biggie|i must say|i have to say|i have to admit|" +
  'if that (?:matters|helps|makes sense|makes a difference|changes anything)|if you (?:must know|were wondering)|' +
  "in case (?:you (?:were wondering|wondered|wonder|care|need (?:it|to know)|forgot|missed it|didn't know)|it (?:matters|helps))";
const DOUBTS =
  "i think|i guess|i believe|i suppose|i reckon|i'd say|if i remember (?:correctly|right|rightly)|if i'm not mistaken|" +
  'as far as i know|afaik|not (?:entirely |100% |quite )?sure';
// Short ones need no comma.
const UNMARKED =
  'by the way|btw|fyi|tbh|ngl|(?:ha){2,6}h?|hehe|lol|lmao|rofl|omg|imo|imho|jsyk|fwiw|woo-?hoo|yay|xd|i think|i guess';
const AS_SAID =
  "(?:as|like) (?:(?:i|you)(?:'ve| have|'d| had)?(?: just| already| probably| may| might| also)* (?:said|told you|mentioned|wrote|explained|know|knew|remember)|(?:already )?(?:mentioned|said|noted|stated|discussed))(?: (?:before|earlier|already|above|last time|yesterday|previously|to you))*";

const FIRST = new RegExp(
  `^(?:(?:oh|and|so|also|but|well|hey|hi|ok|okay|again),? )*(?:${TAGS}|${AS_SAID})(?: that(?= ))?[,:;.!]? (?=\\S)`,
  'i',
);
const MARKED_LAST = new RegExp(`(?:,|;| -| –| —) ?(?:${TAGS}|${LAST}|${DOUBTS}|${AS_SAID})(?=[.!… ]*$)`, 'i');
const UNMARKED_LAST = new RegExp(
  `(?<!\\b(?:what|how|as|than|that|so|why|where|do|like|i|and|or|but|a|the|is|are|was)) (?:${UNMARKED})(?=[.!… ]*$)`,
  'i',
);
const WITHIN = new RegExp(`, (?:${TAGS}), `, 'gi');
const DOUBTFUL = new RegExp(`^\\W*(?:${DOUBTS})$`, 'i');
const FACES =
  /(?:\s*(?:[\p{Extended_Pictographic}\u{FE0F}\u{200D}]|[:;=]-?[()DPp/|](?=[\s).!]|$)|<3(?=\s|$)))+(?=[\s.!]*$)/u;
const MOST = 4;

/** A sentence without "by the way", "as I said", "lol"; `doubted` when "I think" or "I guess" stood at its end. */
export function withoutTags(text: string): { text: string; doubted: boolean } {
  let left = text.replace(WITHIN, ' ');
  let doubted = false;
  for (let round = 0; round < MOST; round += 1) {
    const first = FIRST.exec(left)?.[0] ?? '';
    const body = left.slice(first.length).replace(FACES, '');
    const last = MARKED_LAST.exec(body) ?? UNMARKED_LAST.exec(body);
    const next = last === null ? body : body.slice(0, last.index) + body.slice(last.index + last[0].length);
    if (next === left || !/\p{L}{2}/u.test(next)) break;
    doubted ||= last !== null && DOUBTFUL.test(last[0]);
    left = next;
  }
  return { text: left, doubted };
}

import { LANGUAGES } from '../../../language/languages.ts';
import { slugOf } from './slug-of.ts';

// Of one topic there is one wish: "longer answers" takes the place of "short answers".
const TOPICS: ReadonlyArray<readonly [string, RegExp]> = [
  ['emoji', /\b(?:emojis?|smileys?|emoticons?)\b/i],
  ['bullet', /\bbullet/i],
  [
    'length',
    /\b(?:under|within|at most|max|maximum|no more than|less than|fewer than|below|up to) (?:\d+|one|two|three|four|five|six|seven|eight|ten|twenty|fifty|a hundred) (?:lines?|words|sentences?|paragraphs?)\b|\b(?:\d+|one|two|three|four|five) (?:lines?|words|sentences?) (?:max|at most|or (?:less|fewer))\b/i,
  ],
  ['sentence', /\b(?:sentences|paragraphs)\b/i],
  ['unit', /\b(?:metric|imperial|units?|celsius|fahrenheit|kilomet\w*|miles)\b/i],
  [
    'currency',
    /\b(?:euros?|dollars?|pounds?|sterling|francs?|kron(?:er|or|a)|zloty|koruna|forint|lira|rubles?|hryvnia|rupees?|taka|yen|yuan|renminbi|won|baht|ringgit|rupiah|dong|pesos?|reais|shekels?|dirhams?|riyals?|naira|cedis?|rand|shillings?|currency|prices?)\b/i,
  ],
  ['spelling', /\bspelling\b/i],
  [
    'length',
    /\b(?:short|shorter|brief|concise|long|longer|lengthy|succinct|verbose|detailed) (?:\p{L}+ )?(?:answers?|repl(?:y|ies)|responses?|e-?mails?|messages?|posts?|texts?|explanations?|summar(?:y|ies))\b|\b(?:kept|be|stay|to be) (?:(?:more|very|really|as|pretty) )*(?:short|brief|concise|long|succinct|detailed|to the point)\b|\bwalls? of text\b/iu,
  ],
  [
    'tone',
    /\b(?:kept|be|sound|stay|to be|tone) (?:\p{L}+ )?(?:blunt|honest|direct|formal|informal|casual|friendly|polite|gentle|critical|serious|professional|encouraging)\b|\bsugarcoat/iu,
  ],
];
const FRAME =
  /^(?:wants|does not want|no longer wants|is fine with)(?: no)?(?: the agent(?:'s work)?)?(?: to)?(?: always| never)?(?: using)? ?/;

// "Don't give me Python code" is about Python, however what is given is called.
const OF_KIND =
  /^(?:(?:give|show|write|use|send)(?: (?:me|them|us))? )?(?:any )?(\p{L}[\p{L}#+.]+) (?:code|answers|replies|responses|snippets|solutions)$/iu;

/** What a standing wish is about: a topic of which there is one wish, or its own words. */
export function instructionTopic(wish: string): string {
  const asked = wish.replace(FRAME, '').replace(/ again$/, '');
  if (/^(?:answer|reply|respond|speak|talk|write)\b.* in (\p{L}+)$/iu.test(asked)) {
    const language = asked.split(' ').at(-1)?.toLowerCase() ?? '';
    if (LANGUAGES.has(language)) return 'language';
  }
  const kind = OF_KIND.exec(asked)?.[1];
  if (kind !== undefined && !TOPICS.some(([, pattern]) => pattern.test(asked))) return slugOf(kind);
  return TOPICS.find(([, pattern]) => pattern.test(asked))?.[0] ?? slugOf(asked);
}

/** Whether a topic is one of which there is one wish. */
export function hasOneWish(topic: string): boolean {
  return topic.startsWith('languag') || TOPICS.some(([name]) => topic === name || topic === name.replace(/e$/, ''));
}

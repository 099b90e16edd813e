import { isOrdinary } from './names.ts';
import type { Pack } from './packs/pack.ts';
import { packPattern, perPack, plainMarks, relationsOf, wordsPattern } from './packs/packs.ts';

/** How a clause of English, whose verbs do not show the person, begins with a name: "ollys moving out", "kayleighs 9". */
const ENGLISH_NAMED = /(?<=(?:^|[.,;!?]) ?)(\p{L}{3,})'?s (?:\p{L}{2,}ing|the|got|been|gone|\d+)(?![\p{L}])/giu;

/**
 * Whether words without "I" follow words about somebody else: "ollys moving out, got a place in Worthing". The person who was mentioned
 * last counts: the user, a relation of the user, or somebody whose name is known.
 */
export function continuesOthers(
  match: { 0: string; index: number },
  text: string,
  pack: Pack,
  { turn = text, people = [] }: { turn?: string; people?: readonly string[] },
): boolean {
  const isUsers = (part: string): boolean => isAboutUser(part, pack);
  if (isUsers(match[0])) return false;
  const doer =
    text
      .slice(Math.max(0, match.index - 40), match.index)
      .split(' ')
      .at(-2) ?? '';
  const verb = /^\p{L}+/u.exec(match[0])?.[0] ?? '';
  const isDone = packPattern(pack, 'past').test(verb);
  if (isDone && /^[\p{L}'-]+$/u.test(doer) && !isOrdinary(doer.toLowerCase(), pack)) return true;
  const { they, subjects } = othersOf(pack);
  const patterns = [they, subjects, ...people.map(nameOf)];
  const othersIn = (part: string): RegExpExecArray[] => [
    ...patterns.flatMap((pattern) => [...part.matchAll(pattern)]),
    ...[...part.matchAll(ENGLISH_NAMED)].filter(([, name = '']) => !isOrdinary(name.toLowerCase(), pack)),
  ];
  const before = text.slice(0, match.index);
  const last = Math.max(-1, ...othersIn(before).map((found) => found.index + found[0].length));
  if (last >= 0 || (!isDone && /\p{L}/u.test(before))) return last >= 0 && !isUsers(before.slice(last));
  // The previous sentence counts if it begins with another person: "my brother rang. started at Halfords", "dad fell. broken hip".
  const at = Math.max(0, turn.indexOf(text));
  const earlier = plainMarks(turn.slice(Math.max(0, at - NEAR), at)).trimEnd();
  const opening =
    earlier
      .slice(0, -1)
      .split(/[.!?\n]/)
      .at(-1)
      ?.trim() ?? '';
  return !isUsers(before) && othersIn(opening).some(({ index }) => index === 0);
}

/** How many characters before a sentence without a subject the previous sentence may begin, from which it takes its subject. */
const NEAR = 160;
const USERS = ['me', 'my', 'we'] as const;

/** Whether words name the user: "I", "my", "we". */
export function isAboutUser(text: string, pack: Pack): boolean {
  return USERS.some((name) => packPattern(pack, name).test(text));
}

function nameOf(name: string): RegExp {
  return wordsPattern(`${name.replace(/[^\p{L}\p{N} -]/gu, '.')}(?:'?s)?`, 'latin', 'giu');
}

const othersOf = perPack((pack) => {
  const {
    script,
    my,
    words: { they },
  } = pack;
  const words = relationsOf(pack);
  const users = `(?:${my})${script === 'han' ? '' : ' (?:\\p{L}+ )?'}(?:${words})`;
  return {
    any: wordsPattern(words, script),
    users: wordsPattern(users, script),
    they: wordsPattern(they, script, 'giu'),
    // Without "my", a word for a relation stands for a person only where it opens a clause: "mum's moved out".
    subjects: wordsPattern(`${users}(?:'?s)?|(?<=(?:^|[.,;!?]) ?)(?:${words})(?:'?s)?`, script, 'giu'),
  };
});

export function speaksOfOthers(text: string, pack: Pack): boolean {
  return packPattern(pack, 'they').test(text) || othersOf(pack).any.test(text);
}

/** Whether a clause is about another person. A doctor who says something about the user does not count. */
export function isAboutOthers(clause: string, pack: Pack): boolean {
  return packPattern(pack, 'they').test(clause) || othersOf(pack).users.test(clause);
}

import { slotsOfClaim } from '../form/check/stated-by.ts';
import { invalidInput } from '../errors.ts';
import { PACKS, templateOf, wordsOfAll } from '../language/packs/packs.ts';
import { withoutEnd } from '../language/words.ts';
import { attributeLabel, attributeTable, snakeCase } from '../record/attribute-table.ts';
import { hasTrait } from '../record/attributes.ts';
import type { Memory } from '../record/memory.ts';
import { normalValue } from '../record/statement.ts';

const TABLE = attributeTable();

/**
 * The value that a text gives to an attribute: "Carla" in "Partner is called Carla", "Partner: Carla" and "Carla". Throws `invalid_input`
 * for a sentence in which the value cannot be told, because a sentence must not become a value.
 */
export function toldValue(
  text: string,
  attribute: string,
  old: Partial<Pick<Memory, 'content' | 'value'>> = {},
): string {
  const plain = withoutEnd(text.trim(), '.!。！');
  const bare = plain.replace(WHOSE, '');
  const listed = valueAfterName(bare, attribute, COLON);
  if (listed !== null) return listed;
  const slot = slotsOfClaim(text).find((filled) => filled.attribute === attribute && filled.polarity === 'affirmed');
  if (slot?.value != null) return slot.value;
  const told = valueInFrame(plain, framesOf(attribute, old)) ?? valueInFrame(bare, framesOf(attribute, old));
  const value = told ?? valueAfterName(bare, attribute, LINK) ?? valueAfterSynonym(bare, attribute);
  if (value !== null) return value;
  if (TABLE.isKnown(attribute) && !hasTrait(attribute, 'wish') && isSentence(plain)) {
    const label = attributeLabel(TABLE, attribute);
    throw invalidInput(
      `The value of "${label}" cannot be told from this sentence, and nothing was changed. Give only the new value as text, or "${label}: …".`,
      { attribute },
    );
  }
  return text;
}

const ARTICLE = `(?:${wordsOfAll('article', 'latin')})`;
/** "The user's employer", "My partner". */
const WHOSE = new RegExp(
  `^(?:${ARTICLE} )?(?:(?:${wordsOfAll('theUser', 'latin')}|${wordsOfAll('possessive')})(?:['’]s)? )?`,
  'iu',
);

/** The words around a value. */
type Frame = readonly [before: string, after: string];

/** The words around the old value, which a correction may repeat, and those of the renderings in all languages. */
function framesOf(attribute: string, { content = '', value }: Partial<Pick<Memory, 'content' | 'value'>>): Frame[] {
  const at = value == null ? -1 : content.indexOf(value);
  const own: Frame[] = at < 0 ? [] : [[content.slice(0, at), content.slice(at + (value?.length ?? 0))]];
  const rendered = PACKS.flatMap((pack): Frame[] => {
    const [before, after] = templateOf(pack, attribute)?.split('{value}') ?? [];
    return before === undefined || after === undefined ? [] : [[before, after]];
  });
  return [...own, ...rendered];
}

function valueInFrame(text: string, frames: readonly Frame[]): string | null {
  const lower = text.toLowerCase();
  for (const [before, after] of frames) {
    const end = withoutEnd(after, '.!').toLowerCase();
    const isFramed = lower.startsWith(before.toLowerCase()) && lower.endsWith(end);
    const rest = text.slice(before.length, text.length - end.length).trim();
    if ((before + end).trim() !== '' && isFramed && rest !== '') return rest;
  }
  return null;
}

const LINKS = `(?:${wordsOfAll('linksValue', 'latin')})`;
const NAMING = `(?:${wordsOfAll('naming')})`;
const COLON = /^(.{1,60}?)[:：=](.+)$/su;
const LINK = new RegExp(
  `^(.{1,60}?)(?:\\s+(?:${LINKS}(?:\\s+${NAMING})?|${NAMING})\\s+|(?:${wordsOfAll('linksValue', 'han')}))(.+)$`,
  'isu',
);

/** The copula at the end of a Japanese sentence. */
const ENDING = new RegExp(`(?:${wordsOfAll('afterName', 'han')})$`, 'u');
/** "Is now Rome". */
const NOW = new RegExp(`^(?:${PACKS.map(({ questions }) => questions.now).join('|')}) `, 'iu');

/** After the attribute's name, a synonym or a label in any language: "Employer is Globex", "Home: Rome", "Wohnort ist Bonn". */
function valueAfterName(text: string, attribute: string, link: RegExp): string | null {
  const [, name = '', value = ''] = link.exec(text) ?? [];
  const labels = Object.values(TABLE.policyOf(attribute).labels).map((label) => normalValue(label));
  const isNamed = TABLE.resolve(name) === attribute || labels.includes(normalValue(name));
  return isNamed ? value.trim().replace(NOW, '').replace(ENDING, '').trim() || null : null;
}

/** "Allergic to soy", "favourite dish ramen". One word such as "city" may be a part of the value. */
function valueAfterSynonym(text: string, attribute: string): string | null {
  const words = text.split(' ');
  const { synonyms } = TABLE.policyOf(attribute);
  const size = [3, 2].find((count) => synonyms.includes(snakeCase(words.slice(0, count).join(' '))));
  return size === undefined ? null : words.slice(size).join(' ') || null;
}

const ABOUT_SOMEBODY = ['firstPerson', 'sheOrHe', 'theyHave', 'theUser'] as const;
const SUBJECT = new RegExp(
  `^(?:(?:${ARTICLE} )?(?:they|${ABOUT_SOMEBODY.map((list) => wordsOfAll(list, 'latin')).join('|')})(?=[ '’])|${wordsOfAll('firstPerson', 'han')}|${wordsOfAll('sheOrHe', 'han')})`,
  'iu',
);
const LINKED = new RegExp(`^(?:\\S+ ){1,4}${LINKS} `, 'iu');

/** Whether a text is about somebody or something ("They broke up", "My dog is called Rex"), and is not only a value. */
function isSentence(text: string): boolean {
  return SUBJECT.test(text) || LINKED.test(text);
}

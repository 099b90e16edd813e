import { thirdPerson } from '../../../language/verb-forms.ts';

/** Turns what is said to the agent into what is said of user and agent: "send me" → "send them", "you use" → "it uses". */
export function asThirdPerson(text: string): string {
  return text
    .replace(/\bme\b/gi, 'them')
    .replace(/\bmy\b/gi, 'their')
    .replace(/\bI'm\b/g, 'they are')
    .replace(/\bI\b/g, 'they')
    .replace(/\byour\b/gi, 'its')
    .replace(/\byou (\p{L}+)/giu, (_, verb: string) => `it ${thirdPerson(verb.toLowerCase())}`)
    .replace(/,? please$/i, '')
    .replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
}

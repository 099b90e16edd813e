const IT_IS =
  /^(.*?\b(?:found|got|booked|picked|chose|bought|have|rented|signed|hired|named|ordered|reserved|finished|opened|set up) (?:an?|the|our|my) ([^,;]{3,60})), (?:and )?(?:it's|its|it is|it'll be|it will be|that's) (?!been|the (?:best|same)|so|not|really|very|too|a bit)(\S.{1,80})$/i;
const PARTICIPLE =
  /^((?:(?:so|and|hey|hi|btw|ok)[,!]? )*(?:i'm|im|i am|we're|we are|i'll be|we'll be|i will be)\b[^,]{3,80}), (?:and )?(going|visiting|staying|flying|travelling|traveling|driving|heading|meeting|seeing|moving) (.+)$/i;
const WHEN = / from \d.*$/;
// What somebody did, and what follows from it.
const DID =
  /^(.{2,30}? (?:left|quit|resigned|retired|moved on|signed|renewed|cancelled|canceled|paid|declined|accepted|agreed|confirmed)), (?:and |so )?(?=(?:my|our|the) (?:new )?\p{L}+|\p{L}+ (?:is|are|starts|ends|costs)\b)/iu;

/** Parts what chat runs together: "found a location for the shop, it's on Kirkgate" says two things, of two subjects. */
export function partRunOn(text: string): string[] {
  const clean = text.replace(/[.!\s]+$/, '');
  const it = IT_IS.exec(clean);
  if (it?.[1] !== undefined && it[2] !== undefined && it[3] !== undefined) return [it[1], `the ${it[2]} is ${it[3]}`];
  const going = PARTICIPLE.exec(clean);
  if (going?.[1] !== undefined && going[2] !== undefined && going[3] !== undefined)
    return [
      going[1],
      `${/\bwe\b/i.test(going[1]) ? 'we are' : 'I am'} ${going[2].toLowerCase()} ${going[3]}${WHEN.exec(going[1])?.[0] ?? ''}`,
    ];
  const did = DID.exec(clean);
  if (did?.[1] !== undefined) return [did[1], clean.slice(did[0].length)];
  return [text];
}

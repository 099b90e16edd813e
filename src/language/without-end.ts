/**
 * A text without the characters that it ends with. `/[.,]+$/` would do, but looks at every run of them again from each
 * of its characters: a message of a hundred thousand dots takes it half a minute.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

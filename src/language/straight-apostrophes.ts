/** "I’m" → "I'm": what phones write as typewriters do. As long as before, so that places in the text stay. */
export function straightApostrophes(text: string): string {
  return text.replace(/[’ʼ´]/g, "'");
}

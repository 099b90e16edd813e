/** The problems of the tags in a text: unclosed tags, closing tags without an opening one, tags that are not `allowed`. */
export function tagProblems(text: string, allowed: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const open: string[] = [];
  for (const [whole, closing, name = ''] of text.matchAll(/<(\/?)([\p{L}_!?][^\s<>]*)[^<>]*>?/gu)) {
    if (!allowed.has(name)) problems.push(`not ours: ${whole}`);
    else if (closing === '') open.push(name);
    else if (open.pop() !== name) problems.push(`closes nothing: ${whole}`);
  }
  return [...problems, ...open.map((name) => `not closed: ${name}`)];
}

/** The problems that keep a text from being XML inside an element: stray brackets and ampersands. */
export function xmlProblems(text: string): string[] {
  const rest = text.replace(/<\/?[A-Za-z][A-Za-z0-9]*>/g, '').replace(/&(amp|lt|gt);/g, '');
  return [...rest.matchAll(/[<>&\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/g)].map(([found]) => JSON.stringify(found));
}

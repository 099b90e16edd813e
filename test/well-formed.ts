/** What is wrong with the tags of a text: what is not closed, what closes nothing, what is not one of `allowed`. */
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

/** What keeps a text from being XML inside an element: stray brackets and ampersands. */
export function xmlProblems(text: string): string[] {
  const rest = text.replace(/<\/?[A-Za-z][A-Za-z0-9]*>/g, '').replace(/&(amp|lt|gt);/g, '');
  return [...rest.matchAll(/[<>&\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/g)].map(([found]) => JSON.stringify(found));
}

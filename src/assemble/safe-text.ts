import { defuseImages, defuseLinks, inertText, visibleText } from '../language/inert-text.ts';
import type { Trust } from '../record/trust.ts';

export { defuseImages, defuseLinks };

/** Stored text without what people cannot see and models can. What is put into a prompt goes through a {@link Writing} as well. */
export function cleanText(text: string): string {
  return visibleText(text);
}

/** Stored text on one line: it cannot begin a heading, an item or a label of its own. */
export function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/gu, ' ').trim();
}

/** Text as far as its origin is to be believed: nothing shows images, and what is not trusted loses its links. */
export function textByTrust(text: string, trust: Trust): string {
  return trust === 'low' ? defuseLinks(text) : defuseImages(text);
}

/** Stored text as a tool, a resource or a prompt of MCP gives it to a model. */
export function givenText(text: string, trust: Trust): string {
  return inertText(textByTrust(text, trust));
}

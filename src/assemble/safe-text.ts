import type { Trust } from '../record/trust.ts';

// Control characters other than tab and newline, the "tag" characters that hide text from people but not from models,
// and the marks that turn the direction of what follows.
const HIDDEN = /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;
const LINE_END = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Stored text without what people cannot see and models can: hidden characters, odd line ends. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(LINE_END, '\n').replace(HIDDEN, '');
}

/** Stored text on one line: it cannot begin a heading, an item or a label of its own. */
export function oneLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim();
}

const IMAGE = /!\[([^\]]*)\]\s*(?:\([^)]*\)?|\[[^\]]*\])/g;
const LINK = /\[([^\]]*)\]\s*\(\s*<?([^)\s>]*)[^)]*\)?/g;
const SCHEME = /\b(?:https?|ftp|file|data|javascript|vbscript)\s*:\s*(?:\/\/)?/gi;

/** Images that are not shown: a client that renders the answer must fetch nothing because of what memory holds. */
export function defuseImages(text: string): string {
  return text.replace(IMAGE, (_whole, label: string) => `[image: ${label}]`);
}

/**
 * Links and images that lead nowhere: a client that shows the answer must not fetch an address that a document or a
 * tool has put into memory, because the address itself can carry away what the conversation says.
 */
export function defuseLinks(text: string): string {
  return defuseImages(text)
    .replace(LINK, (_whole, label: string, address: string) => `${label} (link: ${address})`)
    .replace(SCHEME, '')
    .replace(/\bwww\./gi, 'www ');
}

/** Text as far as its origin is to be believed: nothing shows images, and what is not trusted loses its links. */
export function textByTrust(text: string, trust: Trust): string {
  return trust === 'low' ? defuseLinks(text) : defuseImages(text);
}

// Ranges instead of \\p{L}: with the u flag each such pattern takes about a millisecond to compile, and there are many.
/** Letters of Latin, Greek and Cyrillic, for use inside a character class. */
export const LETTERS: string = 'A-Za-z\\u00C0-\\u024F\\u0370-\\u052F';
/** Letters that can begin a name in those scripts, for use inside a character class. */
export const CAPITALS: string = 'A-Z\\u00C0-\\u00DE\\u0100-\\u024F\\u0386-\\u03AB\\u0400-\\u042F';

/** Whether a text can name a request: 1 to 200 visible characters. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,200}$/.test(text);
}

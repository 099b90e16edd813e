/** Characters of a text, end exclusive. */
export interface TextSpan {
  start: number;
  end: number;
}

/**
 * Whether an answer takes away so much of what was there that it is more likely a mistake than the truth: all of it, or
 * more than `share`. Below `few` there is too little to speak of shrinking.
 */
export function shrinks(
  { before, after }: { before: number; after: number },
  { share, few }: { share: number; few: number },
): boolean {
  return before > 0 && (after === 0 || (before >= few && after < before * (1 - share)));
}

/** So few words of a text, and values of a scaffold, may be replaced by any number. */
export const FEW_WORDS = 40;
export const FEW_VALUES = 3;

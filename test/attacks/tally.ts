import { expect } from 'vitest';

/** Counts the variants of an attack, and those that succeeded. */
export interface Tally {
  /** Records one variant. `wentThrough` is true if the attack succeeded. */
  note(variant: string, wentThrough: boolean): void;
  readonly tried: number;
  readonly through: readonly string[];
  /** Prints the counts, and fails if more than `floor` (a share of all variants, default 0) succeeded. */
  close(floor?: number): void;
}

export function tally(name: string): Tally {
  const through: string[] = [];
  let tried = 0;
  return {
    note(variant, wentThrough) {
      tried += 1;
      if (wentThrough) through.push(variant);
    },
    get tried() {
      return tried;
    },
    through,
    close(floor = 0) {
      console.log(`attacks: ${name}: ${tried} tried, ${through.length} through`);
      expect(tried, `${name}: nothing was tried`).toBeGreaterThan(0);
      const shown = through.slice(0, 10).join('\n');
      expect(through.length / tried, `${name}: went through:\n${shown}`).toBeLessThanOrEqual(floor);
    },
  };
}

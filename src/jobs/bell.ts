/** Wakes the one who waits for it. A ring that nobody was waiting for is kept for the next wait. */
export interface Bell {
  ring(): void;
  /** Until it rings, at most so many milliseconds. */
  wait(milliseconds: number): Promise<void>;
}

/** Makes a bell. */
export function createBell(): Bell {
  let rung = Promise.withResolvers<void>();
  return {
    ring: () => rung.resolve(),
    async wait(milliseconds) {
      const timer = setTimeout(rung.resolve, milliseconds);
      await rung.promise;
      clearTimeout(timer);
      rung = Promise.withResolvers<void>();
    },
  };
}

/** What a reflection has added (K12). The names are those of the design's answer. */
export interface ReflectionCounts {
  facts_added: number;
  facts_updated: number;
  intentions_added: number;
  learnings_added: number;
  /** Nothing was said since the last one: nothing was done. */
  skipped: boolean;
  /** The profile would have lost too much and waits for review. The rest was applied. */
  profile_held: boolean;
  warnings: string[];
}

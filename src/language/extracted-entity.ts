import type { TextSpan } from './text-span.ts';

/** What kind of thing a name names; `other` when nothing tells. */
export type EntityType =
  | 'person'
  | 'organisation'
  | 'place'
  | 'content'
  | 'service'
  | 'metric'
  | 'project'
  | 'product'
  | 'other';

/** Something that a text names, ready to be merged by name and alias. */
export interface ExtractedEntity {
  type: EntityType;
  /** As written. */
  name: string;
  /** Other names that the text or the form of the name gives. */
  aliases: string[];
  spans: TextSpan[];
}

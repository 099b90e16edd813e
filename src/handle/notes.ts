import { z } from 'zod';
import type { FormDeps } from '../form/formation-settings.ts';
import type { Memory } from '../record/memory.ts';
import { parse } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Page } from '../store/rows.ts';
import type { MemoryFilter } from '../store/read-memories.ts';
import { directs } from '../language/claims.ts';
import { sourceFields } from '../observe/record-observation.ts';
import { logOf } from './events.ts';
import { memoryHandle } from './memories.ts';
import { vouchedBy } from '../form/check/stated-by.ts';
import { type Origin, ORIGINS } from '../record/statement.ts';

/** A text that a person or the application wrote down. */
export interface NewNote {
  title: string;
  content: string;
  tags?: string[];
  /** Who wrote the note. Default: `system`, the application itself. */
  statedBy?: Origin;
  /** The page, mail or tool that the note was copied from. A note with a source is unverified. */
  source?: string | null;
}

/** A link to keep. */
export interface NewSavedItem {
  title: string;
  url: string;
  tags?: string[];
  summary?: string;
  /** A comment on the link. */
  note?: string;
  /** Who saved the link. Default: `system`, the application itself. */
  statedBy?: Origin;
}

export type ListOptions = Pick<MemoryFilter, 'tags' | 'limit' | 'cursor' | 'order' | 'archived'>;

/** Notes: memories with a title. */
export interface NoteHandle {
  add(note: NewNote): Promise<Memory>;
  list(options?: ListOptions): Promise<Page<Memory>>;
}

/** Saved items: memories with a title and an address. */
export interface SavedItemHandle extends Pick<NoteHandle, 'list'> {
  add(item: NewSavedItem): Promise<Memory>;
}

export function noteHandle(parts: FormDeps, scope: Scope): NoteHandle {
  const memories = memoryHandle(parts, scope);
  return {
    async add({ source, ...note }) {
      const statedBy = await vouchedBy(logOf(parts, scope), note.content, {
        statedBy: note.statedBy,
        source: parse(sourceFields.source, source, 'The source of the note'),
        otherwise: 'system',
        needsUser: (content) => directs(`${note.title}\n${content}`),
      });
      return (await memories.create({ ...note, statedBy, type: 'note' }, { reason: 'noted' })).memory;
    },
    list: (options) => memories.list({ ...options, types: ['note'] }),
  };
}

export const savedItemSchema: z.ZodType<NewSavedItem, NewSavedItem> = z.strictObject({
  title: z.string(),
  url: z.string(),
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  note: z.string().optional(),
  statedBy: z.enum(ORIGINS).optional(),
});

export function savedItemHandle(parts: FormDeps, scope: Scope): SavedItemHandle {
  const memories = memoryHandle(parts, scope);
  return {
    async add(item) {
      const { title, url, tags, summary, note, statedBy } = parse(savedItemSchema, item, 'The saved item');
      const content = [summary, note].filter((text) => text !== undefined && text.trim() !== '').join('\n') || title;
      const metadata = { ...(summary === undefined ? {} : { summary }), ...(note === undefined ? {} : { note }) };
      const { memory } = await memories.create(
        { type: 'saved_item', title, url, tags, content, metadata, statedBy },
        { reason: 'saved for later' },
      );
      return memory;
    },
    list: (options) => memories.list({ ...options, types: ['saved_item'] }),
  };
}

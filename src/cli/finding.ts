/** Something that was looked at. */
export interface Finding {
  what: string;
  state: 'good' | 'note' | 'bad';
  found: string;
  /** What to do about it. */
  remedy: string | null;
}

/** It is as it should be. */
export function good(what: string, found: string): Finding {
  return { what, state: 'good', found, remedy: null };
}

/** It works, and could be better. */
export function note(what: string, found: string, remedy: string | null = null): Finding {
  return { what, state: 'note', found, remedy };
}

/** It does not work. */
export function bad(what: string, found: string, remedy: string): Finding {
  return { what, state: 'bad', found, remedy };
}

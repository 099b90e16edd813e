/** Where to kill a process: right before or right after one of its statements. */
export interface KillPoint {
  at: number;
  when: 'before' | 'after';
  statement: string;
  /**
   * The index of the statement among those with the same text, from 1. A position in the run would not do, because queue polls shift it.
   */
  nth: number;
}

/** The statements that a process has run, and which of them belong to queue polls. */
export interface Statements {
  statements: readonly string[];
  looks: readonly string[];
}

/** Whether a statement changes more than the queue. */
export function changesMemory(statement: string): boolean {
  return (
    /^(?:with|insert|update|delete)\b/i.test(statement) &&
    !/^\w+ (?:into |from )?"?(?:jobs|schedules)\b/i.test(statement)
  );
}

/**
 * The points at which a run is killed: around the commit of every transaction that changes more than the queue, once for each class of
 * statement, and then spread evenly over the other statements. There are at most `most` points, unless there are more commits. Statements
 * before the lease of the job or after its end are left out.
 */
export function killPoints({ statements, looks }: Statements, most: number): KillPoint[] {
  const leasedAt = statements.findIndex((statement) => statement.startsWith("update jobs set state = 'running'"));
  const from = Math.max(leasedAt, 0);
  const to =
    leasedAt < 0 ? statements.length : statements.findLastIndex((statement) => statement.startsWith('commit')) + 1;
  const points = new Map<string, KillPoint>();
  const add = (at: number, when: KillPoint['when']): void => {
    const statement = statements[at] ?? '';
    const nth = statements.slice(0, at + 1).filter((each) => each === statement).length;
    points.set(`${at} ${when}`, { at, when, statement, nth });
  };
  // How often a worker polls the queue while the job runs depends on the machine, so only the first poll is certain.
  const isLook = new Set(looks);
  const classes = new Map<string, number>();
  for (let at = from; at < to; at += 1) {
    const statement = statements[at] ?? '';
    if (statement.startsWith('commit of') && !isLook.has(statement)) {
      add(at, 'before');
      add(at, 'after');
    }
    // To choose the middle one of equal statements, their number would have to be known first, so the last one is chosen.
    const kind = classOf(statement);
    if (!isLook.has(statement) || !classes.has(kind)) classes.set(kind, at);
  }
  for (const at of classes.values()) if (points.size < most) add(at, 'before');
  const rest = statements.flatMap((statement, at) =>
    at >= from && at < to && !isLook.has(statement) && !points.has(`${at} before`) ? [at] : [],
  );
  const missing = Math.min(Math.max(most - points.size, 0), rest.length);
  for (let index = 0; index < missing; index += 1) {
    add(rest[Math.floor(((index + 0.5) * rest.length) / missing)] ?? from, 'before');
  }
  return [...points.values()].toSorted((one, other) => one.at - other.at);
}

/** The kind of a statement and its table. */
function classOf(statement: string): string {
  const [, verb = '', table = ''] =
    /^(\w+)(?:.*?\b(?:from|into|update)\s+"?(\w+)"?)?/i.exec(statement.replace(/^update\b/i, 'update update')) ?? [];
  return `${verb} ${table}`.toLowerCase();
}

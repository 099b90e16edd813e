export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields are ids, counts, routes and times. They never contain text of records. */
export type Log = (level: Exclude<LogLevel, 'silent'>, message: string, fields?: Record<string, unknown>) => void;

export function createLog(least: LogLevel): Log {
  const from = LOG_LEVELS.indexOf(least);
  return (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < from) return;
    process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
  };
}

/** Leaves out the message of an error, because it may contain text of records. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const at = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 6)
    .map((line) => line.trim());
  const code = 'code' in error ? { code: error.code } : {};
  return { error: error.name, ...code, at, ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }) };
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Writes structured log lines without content: ids, counts, routes, times. */
export type Log = (level: Exclude<LogLevel, 'silent'>, message: string, fields?: Record<string, unknown>) => void;

/** Makes a log that writes JSON lines to the standard error output. */
export function createLog(least: LogLevel): Log {
  const from = LOG_LEVELS.indexOf(least);
  return (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) < from) return;
    process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`);
  };
}

/** The loggable parts of an error: its name, its code and its stack without the message, which may hold content. */
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

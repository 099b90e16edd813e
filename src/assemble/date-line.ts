/** `[Thursday, April 24, 2026 — 09:15 AM Europe/Paris]`: it goes with the user's turn, so that the system prompt caches. */
export function dateLine(now: number, timeZone = 'UTC'): string {
  const format = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-US', { timeZone, ...options }).format(now);
  const date = format({ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' });
  // Newer ICU puts a narrow no-break space before AM.
  const time = format({ hour: '2-digit', minute: '2-digit', hour12: true }).replace(/\s/gu, ' ');
  return `[${date} — ${time} ${timeZone}]`;
}

/** `[Thursday, April 24, 2026 — 09:15 AM Europe/Paris]`: it goes with the user's turn, so that the system prompt caches. */
export function dateLine(now: number, timeZone = 'UTC'): string {
  const { date, time } = formattersOf(timeZone);
  // Newer ICU puts a narrow no-break space before AM.
  return `[${date.format(now)} — ${time.format(now).replace(/\s/gu, ' ')} ${timeZone}]`;
}

interface Formatters {
  date: Intl.DateTimeFormat;
  time: Intl.DateTimeFormat;
}

// Making the two takes a tenth of a millisecond, using them a fiftieth of that.
const formatters = new Map<string, Formatters>();
const MOST_ZONES = 500;

function formattersOf(timeZone: string): Formatters {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = {
    date: new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
    }),
    time: new Intl.DateTimeFormat('en-US', { timeZone, hour: '2-digit', minute: '2-digit', hour12: true }),
  };
  if (formatters.size >= MOST_ZONES) formatters.clear();
  formatters.set(timeZone, made);
  return made;
}

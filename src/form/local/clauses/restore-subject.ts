import { withoutLeadIn } from './without-lead-in.ts';

// A sentence cannot open with a past tense, "love" or "gonna" unless its subject was left out; imperatives look different.
const DROPPED_I =
  /^(?:(?:just|finally|recently|already|also|really) )*(?:went|bought|moved|started|finished|visited|saw|met|joined|took|spent|tried|quit|lost|won|attended|signed|booked|ran|graduated|adopted|watched|painted|baked|cooked|hiked|played|worked|lived|grew up|learned|built|planted|cancelled|canceled|found|hired|fired|sold|rented|renewed|switched|ordered|submitted|passed|gonna|loved|hated|love|hate|enjoy|miss|prefer|used to)\b/i;
const DROPPED_AM =
  /^(?:(?:just|currently|also|still) )*(?:not (?:interested in|a (?:big )?fan of|into|going to \p{L}+|flying to|moving to|coming to|travelling to|visiting)|interested in|allergic to|looking for|working (?:on|at|as|for)|thinking (?:about|of)|planning (?:to|on)|trying to|living in|studying|hoping to|saving (?:up )?for|training for|learning|moving to|going to)\b/iu;
const DROPPED_HAVE = /^(?:been (?:\p{L}+ing|to)|never been|always (?:wanted|loved))\b/iu;

/** Chat often leaves out "I" ("Went to Rome last week", "Been working at Acme since May"): puts it back, or gives null. */
export function restoreSubject(text: string): string | null {
  const body = withoutLeadIn(text);
  if (
    /^(?:love|hate|miss) (?:that|this|it|you|your|them|to hear|how|the)\b/i.test(body) ||
    /\b(?:you|your)\b/i.test(body)
  )
    return null;
  const first = body.charAt(0).toLowerCase() + body.slice(1);
  if (/^gonna\b/i.test(first)) return `I am ${first}`;
  if (DROPPED_I.test(first)) return `I ${first}`;
  if (DROPPED_AM.test(first)) return `I am ${first}`;
  return DROPPED_HAVE.test(first) ? `I have ${first}` : null;
}

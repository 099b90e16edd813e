import { analyseVerb } from '../../../language/verb-forms.ts';
import { EVENTFUL } from './verb-classes.ts';
import { withoutLeadIn } from './without-lead-in.ts';

// A sentence cannot open with a past tense, "love" or "gonna" unless its subject was left out; imperatives look different.
const DROPPED_I =
  /^(?:(?:just|finally|recently|already|also|really) )*(?:went|bought|moved|started|finished|visited|saw|met|joined|took|spent|tried|quit|lost|won|attended|signed|booked|ran|graduated|adopted|watched|painted|baked|cooked|hiked|played|worked|lived|grew up|learned|built|planted|cancelled|canceled|found|hired|fired|sold|rented|renewed|switched|ordered|submitted|passed|gonna|loved|hated|love|hate|enjoy|miss|prefer|used to|need to|have to|gotta|got to)\b/i;
const DROPPED_AM =
  /^(?:(?:just|currently|also|still) )*(?:not (?:interested in|a (?:big )?fan of|into|going to \p{L}+|(?:learning|studying|playing|training|seeing|dating|using|running|working|eating|drinking|doing|taking) .*any ?more|flying to|moving to|coming to|travelling to|visiting)|interested in|allergic to|looking for|working (?:on|at|as|for)|thinking (?:about|of)|planning (?:to|on)|trying to|living in|studying|hoping to|saving (?:up )?for|training for|learning|moving to|going to)\b/iu;
const DROPPED_HAVE = /^(?:been (?:\p{L}+ing|to|[^,.]{3,40} (?:since|for))|never been|always (?:wanted|loved))\b/iu;

// "Moving house is a pain", "left side is better": what opens the sentence is its subject.
const IS_SUBJECT =
  /^[^,;]{0,60}? (?:is|are|was|were|isn't|wasn't|makes|takes|sucks|feels|seems|helps|costs|can|could|will|would|should|has|means|sounds|looks|works)\b/i;
const NO_GERUND =
  /^(?:during|including|according|regarding|concerning|speaking|considering|assuming|being|having said|nothing|anything|something|everything|morning|evening|building|wedding|ceiling|king|spring|string|thing|wing|ring|thinking|wondering|hoping|asking|looking|feeling)\b/i;
const NEXT_GERUND = /, (?:and )?(?=(?!during|including|according)\p{L}{2,}ing )/giu;

/** The speaker before what has none: a past tense that tells what happened, or what one is doing. */
function restoredVerb(text: string): string | null {
  const first = /^(?:(?:just|finally|recently|already|also|currently|still) )*(\p{L}+) \S/iu.exec(text)?.[1] ?? '';
  const { base, form } = analyseVerb(first.toLowerCase());
  if (IS_SUBJECT.test(text) || /^lost (?:in|on|at|for)\b/i.test(text)) return null;
  if (form === 'past' && (EVENTFUL.has(base) || /^ended up /i.test(text))) return `I ${text}`;
  return form === 'gerund' && !NO_GERUND.test(first) ? `I am ${text.replace(NEXT_GERUND, ', I am ')}` : null;
}

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
  if (/^(?:gotta|got to) /i.test(first)) return `I have to ${first.replace(/^(?:gotta|got to) /i, '')}`;
  if (DROPPED_I.test(first)) return `I ${first}`;
  if (DROPPED_AM.test(first)) return `I am ${first}`;
  return DROPPED_HAVE.test(first) ? `I have ${first}` : restoredVerb(first);
}

// Longer ones first: "good news" before "good" would not be found after it.
const LEADS =
  'by the way|btw|one more thing|one thing|quick one|quick note|good news|great news|bad news|good morning|thank you|' +
  'turns out|looks like|and|also|oh|so|okay|ok|hey|hi|hello|well|anyway|yes|yeah|great|perfect|cool|wow|thanks|sorry|' +
  'actually|honestly|but|then|plus|ugh|argh|yay|haha|lol|hmm|unfortunately|sadly|finally|update|news|now|right|morning';
// "No, it's 45k" takes something back; "no emojis" is a wish.
const TAKING_BACK = '(?:no|wait|correction)[,.!:]';
const ASKING = 'please|pls|plz|kindly|just';

const LEAD_IN = new RegExp(`^(?:(?:(?:${LEADS})[,.!:]?|${TAKING_BACK}) )+`, 'i');
const ASKING_LEAD_IN = new RegExp(`^(?:(?:(?:${LEADS}|${ASKING})[,.!:]?|${TAKING_BACK}) )+`, 'i');

/** "Oh, by the way, the rent is 900" → "the rent is 900". What is left has its capital as it was. */
export function withoutLeadIn(text: string): string {
  return text.replace(LEAD_IN, '');
}

/** What is asked for, without "and please, just". */
export function withoutAskingLeadIn(text: string): string {
  return text.replace(ASKING_LEAD_IN, '');
}

const OF_US = /\bthere(?:'s| is| are|'re)((?: now| only| just| still| about)*) (\p{L}+|\d+) of us\b/giu;

/** "There are five of us" → "we are five of us": said of the speaker like anything else. */
export function withSpeakers(text: string): string {
  return text.replace(OF_US, 'we are$1 $2 of us');
}

const NEWS =
  /^(?:(?:hey|hi|hello|ok|okay|so|oh)[,!]? )?(?:(?:quick |small |big |another )?(?:update|news|good news|bad news|great news|tl;? ?dr|ps|p\.s\.?|in short|short version|long story short|status)(?:\s*[:,;–—-]\s*|\s+(?=(?:i|i'm|my|we|our|the)\b)))/i;

/** "Update: the client is now Siemens" → "the client is now Siemens". */
export function withoutNewsLabel(text: string): string {
  return text.replace(NEWS, '');
}

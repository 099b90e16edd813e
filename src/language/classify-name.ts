import type { EntityType } from './extracted-entity.ts';
import { wordSet } from './word-set.ts';

/** Common given names, so that a lone "Maria" is a person. */
export const GIVEN_NAMES: ReadonlySet<string> = wordSet(`
  james john robert michael william david richard joseph thomas charles daniel matthew anthony mark paul steven andrew joshua
  kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott
  brandon benjamin samuel gregory alexander patrick frank raymond jack dennis jerry tyler aaron jose adam nathan henry peter
  mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty margaret sandra ashley kimberly
  emily donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna
  ana brenda pamela emma nicole helen samantha katherine christine rachel carolyn janet maria heather diane julie olivia joyce
  caroline melanie priya raj ravi anita sunita arjun wei li chen yuki hiro ahmed mohammed fatima omar ali sofia lucia carlos
  luis juan pedro miguel diego hans klaus greta heidi pierre marie jean luc claire chloe lena lukas felix max sam alex chris
  kate kim jordan taylor morgan jamie tom tim bob bill joe jim mike dave steve dan ben nick tony mel nate joanna tim john audrey
  calvin dave deborah jolene evan gina andrew maria kwasi noah liam mia ava zoe leo oscar hugo nina eva sara ella grace ruby`);

const PLACES = wordSet(`
  berlin munich hamburg cologne köln paris london madrid barcelona rome milan vienna zurich geneva amsterdam brussels lisbon
  dublin oslo stockholm copenhagen helsinki warsaw prague budapest athens istanbul moscow kyiv mumbai delhi bangalore bengaluru
  pune chennai kolkata hyderabad tokyo osaka kyoto seoul beijing shanghai singapore bangkok hanoi manila jakarta sydney
  melbourne auckland toronto vancouver montreal chicago boston seattle denver austin dallas houston miami atlanta phoenix
  philadelphia portland detroit nashville brooklyn manhattan california texas florida ohio alaska colorado oregon washington
  michigan georgia virginia alabama arizona nevada utah hawaii india germany france spain italy portugal england scotland
  ireland wales britain uk usa us america canada mexico brazil argentina chile peru colombia japan china korea vietnam
  thailand indonesia philippines australia egypt nigeria kenya ghana morocco israel turkey russia ukraine poland sweden norway
  denmark finland netherlands belgium switzerland austria greece europe asia africa`);
const PLACE_ENDING =
  /\b(?:City|Street|Avenue|Road|Park|Beach|Lake|River|Island|Islands|Mountain|Mountains|County|Bay|Valley|Airport|Square|Bridge|Station|Hills)$/;
const ORGANISATION_ENDING =
  /(?:^|\s)(?:Inc|Corp|Corporation|Ltd|LLC|GmbH|AG|Co|Company|Group|Labs|University|College|School|Bank|Hospital|Institute|Foundation|Association|Agency|Studio|Studios|Systems|Technologies|Bakery|Restaurant|Museum|Club|Church|Ministry|Department|Airlines|Partners|Ventures|Capital|Media)\.?$/;
const ORGANISATIONS = wordSet(
  'google apple microsoft amazon meta facebook netflix stripe openai anthropic tesla ibm intel oracle sap siemens bosch bmw nasa walmart target starbucks mcdonalds uber airbnb shopify nike adidas sony samsung globex acme techcorp',
);
const PRODUCTS =
  /^(?:iPhone|iPad|MacBook|Xbox|PlayStation|Kindle|Tesla Model|Nintendo Switch|Windows|Excel|Photoshop|Android|GPT|ChatGPT|Claude|Gemini|Slack|Notion|Figma|Jira|Docker|Python|TypeScript|JavaScript|PostgreSQL|SQLite|React)\b/;

/** Things that are counted. */
export const METRIC: RegExp =
  /\b(views?|clicks?|likes?|shares?|comments?|subscribers?|followers?|signups?|sign-ups?|sales|orders?|downloads?|visits?|visitors?|impressions?|conversions?|replies|reads?|leads?|reviews?|bookings?|installs?|stars?|opens?|retweets?|upvotes?|streams?|plays?|applicants?|donations?|customers?|users?|members?|revenue|votes?)\b/iu;

/** Services that people publish on, with how they are written. */
export const SERVICES: ReadonlyArray<readonly [string, RegExp]> = [
  ['blog', /\bblogs?\b/i],
  ['newsletter', /\bnewsletters?\b/i],
  ['instagram', /\binstagram\b/i],
  ['youtube', /\byoutube\b/i],
  ['twitter', /\btwitter\b/i],
  ['linkedin', /\blinkedin\b/i],
  ['facebook', /\bfacebook\b/i],
  ['tiktok', /\btiktok\b/i],
  ['whatsapp', /\bwhatsapp\b/i],
  ['reddit', /\breddit\b/i],
  ['github', /\bgithub\b/i],
  ['gmail', /\bgmail\b/i],
  ['website', /\bwebsites?\b/i],
  ['podcast', /\bpodcasts?\b/i],
];

/** Decides from the name, and from the words around it, what kind of thing it names. */
export function classifyName(name: string, before: string, after: string): EntityType {
  const lower = name.toLowerCase();
  const first = lower.split(' ')[0] ?? lower;
  if (SERVICES.some(([service]) => service === lower)) return 'service';
  if (PRODUCTS.test(name)) return 'product';
  if (ORGANISATION_ENDING.test(name) || ORGANISATIONS.has(lower)) return 'organisation';
  if (PLACES.has(lower) || PLACE_ENDING.test(name)) return 'place';
  if (
    /\b(?:Mr|Mrs|Ms|Dr|Prof)\.? ?$/.test(before) ||
    /\b(?:named|called|met|with|my (?:\p{L}+ )?(?:wife|husband|partner|sister|brother|friend|son|daughter|boss|mother|father|mom|dad|girlfriend|boyfriend|colleague|cousin|aunt|uncle|roommate)(?: is)?,?) $/iu.test(
      before,
    ) ||
    (GIVEN_NAMES.has(first) && name.split(' ').length <= 3)
  )
    return 'person';
  if (
    /\b(?:work(?:s|ed|ing)? (?:at|for)|job at|joined|employed (?:by|at)|hired by|left|CEO of|founder of|director (?:of \p{L}+ )?at|offer from|interview (?:at|with)|intern at|engineer at|manager at|startup,?) $/iu.test(
      before,
    )
  )
    return 'organisation';
  if (
    /\b(?:live[sd]? in|living in|move[sd]? (?:to|from)|moving to|based in|located in|born in|from|travel(?:l?ed|l?ing)? to|visit(?:ed|ing)?|trip to|fl(?:y|ew) to|raised in|vacation in|been to|near|went to|in) (?:the )?$/i.test(
      before,
    ) &&
    /^\p{L}/u.test(name)
  )
    return 'place';
  if (/^ (?:app|software|phone|laptop|camera|car|bike|console|tool|library|framework)\b/.test(after)) return 'product';
  return /^ (?:said|says|told|is my|loves|likes|asked|thinks)\b/.test(after) ? 'person' : 'other';
}

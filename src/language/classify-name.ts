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
  theo nell dana pete ingrid astrid mateo ruth omar malik wendy marek milan jo liz beth meg tess gwen rosa elena irina olga anton ivan
  stefan sven lars erik karin anke uwe jens heike paolo marco giulia chiara luca matteo aisha yusuf hassan layla noor zara imran
  bilal kofi ama kwame chidi ngozi tunde mei hana kenji akira sanjay deepa vikram neha rohan amit
  calvin dave deborah jolene evan gina andrew maria kwasi noah liam mia ava zoe leo oscar hugo nina eva sara ella grace ruby
  jonas tomas tomás marta amara walter helena sophia isabella charlotte amelia harper evelyn abigail lily aria chloé hannah
  ethan mason logan lucas jackson aiden owen dylan luke gabriel julian levi isaac lincoln adrian sebastian damian fabian
  brian vivian lillian susan megan jordan alan ian ivan stefan juan adan nolan rowan logan ronan kiran imran rohan ryan sean
  seán dara aoife niamh siobhan ciara conor cillian finn eoin declan saoirse fergus hamish isla callum ewan fiona
  tiago rui inês ines inés leonor joão joao paulo ricardo bruno andré andre mateo javier alejandro pablo sergio carmen rosa
  elena irene alba pilar lucía valentina camila gabriela fernanda mariana antonio marco luca matteo giulia chiara francesca
  giovanni paolo stefano elisa federica jürgen jurgen wolfgang dieter uwe sabine ingrid petra anke heike stefanie katja anja
  lars sven björn erik astrid freya ingmar mikkel emil anders magnus sanne femke willem pieter joost maarten anouk floris
  agnieszka piotr pawel tomasz katarzyna magda jakub milan dragan jovana ana-maria ioana andrei mihai elif mehmet ayşe emre
  yusuf hassan hussein khalid karim rania layla leila noor amina aisha zainab ibrahim bilal tariq samir nadia yasmin farah
  deepak sanjay vikram rohit neha pooja anjali kavya meera divya aditya nikhil rahul amit suresh lakshmi dev sunil
  kenji hiroshi takashi emi yuko haruto sakura akira ken mei ling jun hao xin min-jun ji-woo soo-jin thanh linh minh
  chidi amaka ngozi tunde bisi emeka ada femi yemi kofi ama abena kwame thabo zanele sipho nia joy faith hope dawn
  dorothy george harold albert ernest stanley arthur alfred percy edith mabel doris ethel winifred gladys
  theo archie alfie freddie harry charlie jake josh matt greg jeff ted phil rob ed will pat terry gerry barry kit ron don
  ray roy glenn craig keith neil stuart graham derek trevor nigel ruth judy jill jane joan anne annie katie kelly molly
  lucy daisy poppy rosie millie evie maisie beth becky vicky jess jenny tina wendy tracey sandy cindy mandy debbie
  tara clara nora cora dora vera ida iris ivy jade pearl amber violet hazel alice agnes martha miriam naomi esther judith
  eleanor louise denise yvonne simone nadine celine elodie manon camille juliette antoine mathieu julien guillaume thibault`);

/** Places that people often name, lower case. */
export const PLACES: ReadonlySet<string> = wordSet(`
  berlin munich hamburg cologne köln paris london madrid barcelona rome milan vienna zurich geneva amsterdam brussels lisbon
  dublin oslo stockholm copenhagen helsinki warsaw prague budapest athens istanbul moscow kyiv mumbai delhi bangalore bengaluru
  pune chennai kolkata hyderabad tokyo osaka kyoto seoul beijing shanghai singapore bangkok hanoi manila jakarta sydney
  melbourne auckland toronto vancouver montreal chicago boston seattle denver austin dallas houston miami atlanta phoenix
  philadelphia portland detroit nashville brooklyn manhattan california texas florida ohio alaska colorado oregon washington
  michigan georgia virginia alabama arizona nevada utah hawaii india germany france spain italy portugal england scotland
  ireland wales britain uk usa us america canada mexico brazil argentina chile peru colombia japan china korea vietnam
  thailand indonesia philippines australia egypt nigeria kenya ghana morocco israel turkey russia ukraine poland sweden norway
  denmark finland netherlands belgium switzerland austria greece europe asia africa valencia seville porto ghent antwerp
  rotterdam utrecht krakow bordeaux lyon marseille lille nice naples turin florence venice bologna frankfurt stuttgart leipzig
  dresden bremen düsseldorf manchester liverpool leeds glasgow edinburgh cardiff belfast cork galway limerick birmingham
  bristol sheffield newcastle brighton oxford cambridge lagos nairobi accra cairo casablanca johannesburg dubai doha riyadh
  karachi lahore dhaka colombo kathmandu taipei guangzhou shenzhen brisbane perth adelaide wellington calgary ottawa
  edmonton honolulu sacramento oakland baltimore pittsburgh cleveland columbus minneapolis milwaukee orlando tampa charlotte
  raleigh memphis tucson albuquerque jersey queens bronx iowa idaho illinois indiana kansas kentucky louisiana maine maryland
  massachusetts minnesota mississippi missouri montana nebraska oklahoma pennsylvania tennessee vermont wisconsin wyoming`);
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

import { wordsOfAll } from './packs/packs.ts';
import { withoutEnd } from './words.ts';

export type SecretCategory = 'secret' | 'password' | 'card' | 'bank_account' | 'government_id';

interface Rule {
  category: SecretCategory;
  /** The first group is the secret, or else the whole match. Repetitions are bounded, because these patterns run on whole messages. */
  pattern: RegExp;
  holds?(secret: string, match: RegExpMatchArray): boolean;
}

/** Prefixes that providers have chosen so that scanners find their keys. From gitleaks and the providers. */
const PROVIDER_KEYS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\b(?:sk|pk|rk)[-_](?:live|test|prod|proj|ant|or|svcacct|admin)?[-_]?[A-Za-z0-9_-]{16,200}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|gl(?:pat|dt|rt|ptt|soat)-[\w-]{16,100})/g,
  /\b(?:xox[abeoprs]-[A-Za-z0-9-]{10,200}|xapp-[A-Za-z0-9-]{10,200})/g,
  /\bhttps:\/\/(?:hooks\.slack\.com\/(?:services|workflows)|discord(?:app)?\.com\/api\/webhooks|[\w-]{1,60}\.webhook\.office\.com)\/[\w/@.-]{16,200}/g,
  /\b(?:AIza[\w-]{30,60}|ya29\.[\w-]{20,300}|GOCSPX-[\w-]{20,60})/g,
  /(?<![\w-])eyJ[\w-]{8,4000}\.[\w-]{8,4000}(?:\.[\w-]{4,4000})?/g,
  /\b(?:hf_[A-Za-z0-9]{20,60}|npm_[A-Za-z0-9]{30,60}|pypi-[\w-]{20,300}|r8_[A-Za-z0-9]{20,60}|gsk_[A-Za-z0-9]{20,80}|xai-[A-Za-z0-9]{20,100}|pplx-[A-Za-z0-9]{20,80})/g,
  /\b(?:SG\.[\w-]{16,40}\.[\w-]{16,60}|key-[0-9a-f]{32}|whsec_[A-Za-z0-9+/=]{16,100}|SK[0-9a-f]{32}|AC[0-9a-f]{32})/g,
  /\b(?:do[oprt]_v1_[0-9a-f]{40,80}|dapi[0-9a-f]{32}|dp\.(?:pt|st|ct)\.[\w-]{20,80}|hv[sb]\.[\w-]{20,300}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|sq0[a-z]{3}-[\w-]{20,60})/g,
  /\b(?:lin_api_[A-Za-z0-9]{30,60}|ntn_[A-Za-z0-9]{30,60}|secret_[A-Za-z0-9]{32,60}|PMAK-[0-9a-f-]{30,80}|ATATT3[\w-]{20,300}|figd_[\w-]{20,80}|sbp_[0-9a-f]{30,60}|sntry[su]_[\w+/=-]{20,300}|FlyV1 [\w,+/=-]{20,500})/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{40,80}\b/g,
  /\b\d{8,10}:[A-Za-z0-9_-]{34,36}\b/g,
  /\b[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,45}\b/g,
  /\b[5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b/g,
  /\b0x[0-9a-fA-F]{64}\b/g,
];

/** In all language packs, with both kinds of apostrophe. */
function anyOf(list: string): string {
  return wordsOfAll(list, 'latin').replaceAll("'", "['’]");
}

// A verb must be a separate word, unlike "la" in "la clave de la oficina". A preposition ("changed it in Gufo88x") counts only before
// letters mixed with digits, unlike in "I changed my password in 2024".
const IS = String.raw`(?<![\p{L}\p{N}'’])(?:${anyOf('isSecret')}|jest|är|=>?|:=?|->|→|(?:${anyOf('setsSecret')})(?=\s{1,5}(?=\S{0,80}\d)(?=\S{0,80}\p{L})\S{6,80}))`;
const BETWEEN = String.raw`(?:\s{1,5}(?:${anyOf('ofSecret')})(?:\s{1,5}|(?<=['’]))(?:[^\s.,;!?:=]{1,40}\s{1,5}){0,6}?[^\s.,;!?:=]{1,40},?)??`;
const QUOTE = String.raw`["'“”„«»\x60]`;

// The last words are of languages without a pack.
const PASSWORD_WORDS = `${anyOf('password')}|hasło|lösenord|adgangskode|passord|salasana|şifre|пароль`;
const CODE_PLACES = anyOf('codePlace');
const CODE_WORDS = String.raw`(?:${anyOf('code')})\s{1,3}(?:${anyOf('ofCode')})?(?:\s{1,3}|['’])?(?:(?:${anyOf('ownsSecret')})\s{1,3}|l['’])?(?:${CODE_PLACES})|${anyOf('codeName')}`;
const LOCK = String.raw`(?<![\p{L}\p{N}])(?:alarm\p{L}{0,10}|antifurto|keypad|${CODE_PLACES})(?:\s{1,3}[^\s.!?]{1,25}){0,6}?`;
const YEAR = /^(?:19|20)\d\d$/;

const NOT_SECRET = new Set(wordsOfAll('notSecret').split('|'));

function looksChosen(value: string): boolean {
  const plain = value.toLowerCase();
  if (NOT_SECRET.has(plain) || NOT_SECRET.has(plain.replace(/[.,;:!?]$/, ''))) return false;
  return /[\p{L}\p{N}]/u.test(value) && value.length >= 3;
}

/** Words of sentences about passwords in general, which contain none. */
const ABOUT_PASSWORDS = /\b(?:policy|manager|reset|strength|hint|field)\b/i;
const ADDRESS = /^[\w.+-]{1,60}@[\w-]{1,60}\.\w/;

function looksMixed(value: string): boolean {
  return (
    value.length >= 4 &&
    /\p{L}/u.test(value) &&
    (/\d/.test(value) || /[!@#$%^&*+=~?<>|\\]/.test(value.slice(0, -1)) || /\p{Ll}\p{Lu}/u.test(value))
  );
}

function saidRule(category: SecretCategory, source: string, holds?: Rule['holds']): Rule {
  return { category, pattern: new RegExp(source, 'giu'), holds };
}

export const SECRET_RULES: readonly Rule[] = [
  ...PROVIDER_KEYS.map((pattern): Rule => ({ category: 'secret', pattern })),
  // postgres://user:password@host
  { category: 'password', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:([^\s@]{1,200})@(?=[\w[])/gi },
  {
    category: 'password',
    pattern: /(?<![\w-])(?:-u|--user|--password|--token|-p)[ =]{1,3}["']?(?:[\w.@-]{1,60}:)?([^\s"']{4,200})/g,
    holds: looksMixed,
  },
  {
    category: 'secret',
    pattern: /\b(?:authorization|auth)["']?\s{0,3}[:=]\s{0,3}["']?(?:basic|bearer|token)\s{1,3}([\w+/=.~-]{8,2000})/gi,
  },
  { category: 'secret', pattern: /\bbearer\s{1,3}([\w+/=.~-]{16,2000})/gi, holds: (value) => /\d/.test(value) },
  { category: 'secret', pattern: /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|sig)=([\w+/=%-]{16,200})/g },
  // NAME_OF_A_SECRET=value, as in a file of settings; "password": "value", as in JSON and YAML.
  {
    category: 'secret',
    pattern:
      /\b[A-Z0-9_]{0,40}(?:SECRET|TOKEN|PASSWORD|PASSWD|PWD|API_?KEY|APIKEY|ACCESS_KEY|PRIVATE_KEY|CREDENTIALS?|PASSPHRASE)[A-Z0-9_]{0,40}\s{0,3}[=:]\s{0,3}["']?([^\s"',;]{4,500})/g,
    holds: looksChosen,
  },
  {
    category: 'password',
    pattern:
      /["'](?:\w{0,30}[_-])?(?:password|passwd|pwd|secret|token|api_?key|passphrase)["']\s{0,3}:\s{0,3}["']([^"'\n]{3,500})["']/gi,
  },
  // "My password for the router is swordfish."
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:${PASSWORD_WORDS})${BETWEEN}(?:['’]s\s{1,5}|\s{0,5}${IS}(?![\p{L}\p{N}])\s{0,5}|\s{0,3}[:=：＝]\s{0,5})(?:(?:now|currently|still|always|jetzt|ahora)\s{1,3})?${QUOTE}?((?![.,;!?])[^\s"“”„«»]{3,100})`,
    (value, match) =>
      looksChosen(value) &&
      // In Spanish, "la clave" is also the key to success: "la clave es usar seis huevos".
      !(/^clave/i.test(match[0]) && /^\p{Ll}+[aei]r$/u.test(value)) &&
      !ABOUT_PASSWORDS.test(match[0].slice(0, 40)),
  ),
  // A password of several words has no visible end, so the rest of the sentence is taken.
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:${anyOf('passphrase')})${BETWEEN}(?:\s{0,5}${IS}(?![\p{L}\p{N}])\s{0,5}|\s{0,3}[:=]\s{0,5})${QUOTE}?((?:[^\s.!?"]{1,40}[ ]){2,11}[^\s.!?"]{1,40})`,
    (value, match) => /[:=]/.test(match[0].slice(0, -value.length)) || looksChosen(value.split(' ', 1)[0] ?? ''),
  ),
  // "I use swordfish7 as my password", "swordfish7 is my password", "my pw: …", "password swordfish7".
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:${anyOf('uses')})\s{1,3}${QUOTE}?([^\s"]{3,80}?)["'”]?\s{1,3}(?:${anyOf('usedAs')})\s{1,3}(?:[\p{L}]{1,15}\s{1,3}){0,4}(?:${PASSWORD_WORDS}|pin)(?![\p{L}\p{N}])`,
    looksChosen,
  ),
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])${QUOTE}?([^\s"]{4,80})["'”]?\s{1,3}(?:${anyOf('isSecret')})\s{1,3}(?:${anyOf('ownsSecret')})\s{1,3}(?:[\p{L}\d-]{1,20}\s{1,3}){0,3}?(?:${PASSWORD_WORDS})(?![\p{L}\p{N}])`,
    looksMixed,
  ),
  saidRule('password', String.raw`(?<![\p{L}\p{N}])(?:${PASSWORD_WORDS})\s{1,3}${QUOTE}?([^\s"”]{4,80})`, looksMixed),
  // "Mot de passe Netflix c'est Gribouille44", "clave fiscal, es Belgrano1944".
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:${PASSWORD_WORDS})(?:\s{1,3}[\p{L}\d_-]{1,30},?){1,3}\s{1,5}${IS}\s{1,5}${QUOTE}?([^\s"”]{4,80})`,
    (value, match) => looksMixed(value) && !ABOUT_PASSWORDS.test(match[0].slice(0, 40)) && !ADDRESS.test(value),
  ),
  {
    category: 'password',
    pattern: new RegExp(
      String.raw`(?:${wordsOfAll('password', 'han')}|비밀번호)\s{0,3}(?:是|为|為|は|を|：|:|=|은|는)?\s{0,3}[「『"“]?([\w!@#$%^&*+=~?.-]{3,80})`,
      'gu',
    ),
  },
  // "login: ana / swordfish7", "the login for the shop is ana with swordfish7", "ana@example.org / swordfish7".
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:(?:${anyOf('login')})(?:(?:\s{1,3}[^\s.!?;/|:=]{1,25}){0,8}?(?:\s{0,3}[:=]|\s{1,3}(?:${IS}|${anyOf('areLogin')}):?))?\s{1,3}${QUOTE}?[\w.@+-]{2,60}${QUOTE}?(?:\s{0,3}[/|:,–]\s{0,3}|\s{1,3}(?:-|${anyOf('and')}|${anyOf('opensWith')})\s{1,3})|[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,20}\s{0,3}[/|]\s{0,3})${QUOTE}?((?!https?:)[^\s"'”]{4,80})`,
    (value) => looksMixed(value) && !ADDRESS.test(value) && /[^\p{L}./]/u.test(withoutEnd(value, '.,;:!?')),
  ),
  // "Senha do wifi da loja pipoca2024".
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:${PASSWORD_WORDS})\s{1,3}(?:for|to|of|für|vom|de[li]?|della|d[aou]|pour|voor|van)\s{1,3}(?:(?:the|our|my)\s{1,3})?(?:wi-?fi|wlan|router)\s{1,3}(?:[^\s.,;!?:=]{1,30}\s{1,3}){0,2}?${QUOTE}?([^\s"”.,;]{6,80})`,
    looksMixed,
  ),
  // "The wifi at mum's is sunflower-kettle-92", "logged in as dana.k with hunter22moon". Before a password, the word is the network's name.
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:(?:wi-?fi|wlan)${BETWEEN}\s{1,5}${IS}|logged in as [^\s]{1,60} with)\s{1,5}${QUOTE}?((?!\d)[^\s"”]{8,80})(?=[\s"”]|$)(?!\s{1,3}(?:\S{1,8}\s{1,3}){0,2}(?:${PASSWORD_WORDS}|ww)(?![\p{L}]))`,
    looksMixed,
  ),
  // "The alarm is switched off with 9042". Without a verb it may be a size: "a house with 2500 square feet".
  saidRule(
    'password',
    String.raw`${LOCK}\s{1,3}(?:${anyOf('opens')})(?:\s{1,3}[^\s.!?]{1,12}){0,2}?\s{1,3}(?:${anyOf('opensWith')})\s{1,3}(\d(?:[ .-]?\d){3,7}[#*A-Z]?)(?![\p{L}\p{N}])`,
    (value) => !YEAR.test(value),
  ),
  // "The safe is 3344, the padlock 0912". A unit after the number makes it a size or a price.
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:${anyOf('lock')})(?:\s{1,3}${IS})?\s{1,3}(\d{4,8}[#*]?)(?=\s{0,3}(?:[.,;!?)]|$|(?:${anyOf('and')})\s))`,
    (value) => !YEAR.test(value),
  ),
  // "Per il cancello digita 1592*".
  saidRule('password', String.raw`${LOCK}\s{1,3}(?:${anyOf('types')})\s{1,3}(\d{4,8}[#*A-Z])(?![\p{L}\p{N}])`),
  // PINs and access codes of three to ten characters, at least three of them digits.
  saidRule(
    'password',
    String.raw`(?<![\p{L}\p{N}])(?:${CODE_WORDS})${BETWEEN}(?:['’]s|\s{0,5}${IS})?[\s:=#]{0,5}(?:now\s{1,3})?${QUOTE}?(\d(?:[ .-]?\d|[A-Za-z]){2,9})(?![\p{L}\p{N}])`,
    (value) => (value.match(/\d/g) ?? []).length >= 3 && !YEAR.test(value.replaceAll(' ', '')),
  ),
  saidRule(
    'secret',
    String.raw`(?<![\p{L}\p{N}])(?:${anyOf('secret')})${BETWEEN}(?:['’]s|\s{0,5}${IS}(?![\p{L}\p{N}]))?[\s:=]{0,5}${QUOTE}?([\w+/=.~$!@#%^&*-]{6,500})`,
    (value) => value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/^\d{1,3}[a-z]{1,2}$/i.test(value),
  ),
  {
    category: 'secret',
    pattern:
      /\b(?:seed|recovery|mnemonic|backup|wallet)[ -]?(?:phrase|words?|key)?\b[^\n]{0,40}?(?:is|are|=|:)\s{0,5}["'“]?((?:(?:\d{1,2}[.)] ?)?[a-z]{3,8}[ ,]{1,3}){7,23}(?:\d{1,2}[.)] ?)?[a-z]{3,8})/gi,
  },
  {
    category: 'bank_account',
    pattern: /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,4})?\b/g,
    holds: passesIbanCheck,
  },
  {
    category: 'government_id',
    pattern: /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g,
  },
  saidRule(
    'government_id',
    String.raw`(?<![\p{L}\p{N}])(?:${anyOf('identityNumber')})(?: (?:number|no\.?|nummer|nr\.?|#))?\s{0,5}(?:${anyOf('isSecret')}|[:=])?\s{0,5}["']?((?:[A-Z]{1,2} )?[A-Z.-]{0,7}\d[A-Z0-9.-]{0,20}(?: [A-Z.-]{0,3}\d[A-Z0-9.-]{0,20}| [A-Z](?![A-Z])){0,6})`,
    // "My passport expires in 2027" contains a date and no number.
    (value) =>
      (value.match(/\d/g) ?? []).length >= 4 && !/^[a-z]{1,2} |^(?:\d{1,2}[. -]){0,2}(?:19|20)\d\d$/.test(value),
  ),
];

function passesIbanCheck(match: string): boolean {
  const compact = match.replaceAll(/[ -]/g, '');
  if (compact.length < 15 || compact.length > 34) return false;
  const moved = compact.slice(4) + compact.slice(0, 4);
  let rest = 0;
  for (const character of moved) {
    const value = /\d/.test(character) ? character : String(character.charCodeAt(0) - 55);
    for (const digit of value) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest === 1;
}

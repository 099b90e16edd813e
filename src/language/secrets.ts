import { SEED_WORDS } from './seed-words.ts';
import { matchesOf } from './words.ts';

type SecretCategory = 'secret' | 'password' | 'card' | 'bank_account' | 'government_id';

interface SecretSpan {
  category: SecretCategory;
  start: number;
  end: number;
}

interface Rule {
  category: SecretCategory;
  /**
   * The first group is the secret; without a group, the whole match is. Repetitions are bounded, because these patterns run on whole
   * messages.
   */
  pattern: RegExp;
  holds?(secret: string, match: RegExpMatchArray): boolean;
}

/**
 * API keys of providers, recognised by the prefixes that the providers have chosen for scanners. The prefixes are those that gitleaks and
 * the providers publish.
 */
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
  // WIF keys of Bitcoin and raw private keys of Ethereum.
  /\b[5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b/g,
  /\b0x[0-9a-fA-F]{64}\b/g,
];

const IS = String.raw`(?:is|are|was|will be|remains|stays|=>?|:=?|->|→|lautet|ist|war|es|era|est|sera|é|è|jest|är|to|zu|auf|a|à)`;
const BETWEEN = String.raw`(?:\s{1,5}(?:for|to|of|on|at|in|from|für|zum|zur|vom|von|im|beim|para|del?|da|do|pour|du|per|voor|van)\s{1,5}(?:[^\s.!?:=]{1,40}\s{1,5}){0,4}?[^\s.!?:=]{1,40})?`;
const QUOTE = String.raw`["'“”„«»\x60]`;

const PASSWORD_WORDS = String.raw`pass(?=\s{0,3}[:=])|pass[ -]?(?:word|phrase|code|wd)s?|pswd|pwd?|mdp|passwort|kennwort|passphrase|contraseña|clave(?: de acceso)?|mot de passe|senha|palavra[ -]passe|parola d['’]ordine|wachtwoord|hasło|lösenord|adgangskode|passord|salasana|şifre|parola|пароль`;
const CODE_WORDS = String.raw`pin(?:[ -]?(?:code|number|nummer))?|geheimzahl|código pin|code pin|(?:door|gate|alarm|safe|locker|entry|building|garage|keypad|unlock|vault|tresor|tür|código de alarma)[ -]?(?:code|combination|combo|pin)|(?:2fa|mfa|otp|one[ -]time|verification|security|recovery|backup|login)[ -]?(?:code|codes|pass(?:word|code)?)|tan|cvv2?|cvc2?`;
const SECRET_WORDS = String.raw`(?:api|access|secret|private|signing|encryption|ssh|license|licence|service|master|account|admin|deploy|webhook|shared|storage)[ _-]?(?:key|secret|token)|(?:auth(?:entication|orization)?|access|refresh|session|bearer|bot|personal access|id|csrf|security|login|api)[ _-]?token|client[ _-]?secret|token|session[ _-]?(?:cookie|id)|credentials?|api[ _-]?schlüssel|clé(?: d['’]api| secrète)?|clave de api|chave(?: de api| secreta)?|chiave(?: api| segreta)?|sleutel`;

/** Words that follow "the password is" in ordinary sentences and are not passwords. */
const NOT_SECRET = new Set(
  `a an the not no my your our their his her its it that this these those too very so also still always never now here there wrong right
  correct incorrect expired invalid valid old new same different strong weak secure safe lost stolen reset changed set saved stored kept
  written known unknown missing empty required needed optional hidden visible shared public private secret on in at by for from with
  under inside somewhere what when where why how which who easy hard long short simple complex difficult impossible important everything
  nothing something being going about almost already probably only just really quite hashed encrypted salted rotated protected managed
  policy manager field box hint rules rule length prompt page screen reset. up out off again used broken working accepted rejected fine ok okay
  good bad great nicht kein keine ein eine der die das mein meine falsch richtig abgelaufen immer noch zu sehr un una el la los las le les mi mon
  ma non no ne pas toujours trop muy demasiado incorrecta incorrecto caducada fausse expirée errata sbagliata scaduta verkeerd verlopen het de een
  niet token tokens key keys password code pin like i you we they he she and or but because if as than then
  lost. forgotten gone protection sharing strength number numbers characters letters words`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether the word after "password:" can be a password and not an ordinary word of a sentence. */
function looksChosen(value: string): boolean {
  const plain = value.toLowerCase();
  if (NOT_SECRET.has(plain) || NOT_SECRET.has(plain.replace(/[.,;:!?]$/, ''))) return false;
  return /[\p{L}\p{N}]/u.test(value) && value.length >= 3;
}

/** Digits, symbols or inner capitals do not occur in ordinary words. */
function looksMixed(value: string): boolean {
  return (
    value.length >= 4 &&
    /\p{L}/u.test(value) &&
    (/\d/.test(value) || /[!@#$%^&*+=~?<>|\\]/.test(value.slice(0, -1)) || /\p{Ll}\p{Lu}/u.test(value))
  );
}

const RULES: readonly Rule[] = [
  ...PROVIDER_KEYS.map((pattern): Rule => ({ category: 'secret', pattern })),
  // A name and a password within an address: postgres://user:password@host.
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
  {
    category: 'password',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?:${PASSWORD_WORDS})${BETWEEN}(?:['’]s\s{1,5}|\s{0,5}${IS}(?![\p{L}\p{N}])\s{0,5}|\s{0,3}[:=：＝]\s{0,5})(?:(?:now|currently|still|always|jetzt|ahora)\s{1,3})?${QUOTE}?((?![.,;!?])[^\s"“”„«»]{3,100})`,
      'giu',
    ),
    holds: (value, match) =>
      looksChosen(value) && !/\b(?:policy|manager|reset|strength|hint|field)\b/i.test(match[0].slice(0, 40)),
  },
  // A password of several words has no visible end, so the rest of the sentence is taken.
  {
    category: 'password',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?:pass[ -]?phrase|passwortsatz|frase de contraseña|phrase secrète)${BETWEEN}(?:\s{0,5}${IS}(?![\p{L}\p{N}])\s{0,5}|\s{0,3}[:=]\s{0,5})${QUOTE}?((?:[^\s.!?"]{1,40}[ ]){2,11}[^\s.!?"]{1,40})`,
      'giu',
    ),
    holds: (value, match) => /[:=]/.test(match[0].slice(0, -value.length)) || looksChosen(value.split(' ', 1)[0] ?? ''),
  },
  // "I use swordfish7 as my password", "swordfish7 is my password", "my pw: …", "password swordfish7".
  {
    category: 'password',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?:use|using|used|set|chose|picked|have|nehme|benutze|verwende|uso|usei|utilise|gebruik)\s{1,3}${QUOTE}?([^\s"]{3,80}?)["'”]?\s{1,3}(?:as|for|als|como|comme|come)\s{1,3}(?:[\p{L}]{1,15}\s{1,3}){0,4}(?:${PASSWORD_WORDS}|pin)(?![\p{L}\p{N}])`,
      'giu',
    ),
    holds: looksChosen,
  },
  {
    category: 'password',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])${QUOTE}?([^\s"]{4,80})["'”]?\s{1,3}(?:is|was|ist|es|est|é|è)\s{1,3}(?:my|our|the|mein|das|mi|la|mon|le|minha|a|mia|mijn|het)\s{1,3}(?:[\p{L}\d-]{1,20}\s{1,3}){0,3}?(?:${PASSWORD_WORDS})(?![\p{L}\p{N}])`,
      'giu',
    ),
    holds: looksMixed,
  },
  {
    category: 'password',
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${PASSWORD_WORDS})\s{1,3}${QUOTE}?([^\s"”]{4,80})`, 'giu'),
    holds: looksMixed,
  },
  {
    category: 'password',
    pattern:
      /(?:密码|密碼|口令|パスワード|暗証番号|비밀번호)\s{0,3}(?:是|为|為|は|を|：|:|=|은|는)?\s{0,3}[「『"“]?([\w!@#$%^&*+=~?.-]{3,80})/gu,
  },
  // "login: ana / swordfish7". The form "username ana password …" is covered above.
  {
    category: 'password',
    pattern:
      /\b(?:log[ -]?in|credentials?|creds|sign[ -]?in|zugangsdaten|anmeldedaten|identifiants)\b[^\n]{0,20}?[:=]?\s{1,3}[\w.@+-]{2,60}\s{0,3}[/|:,]\s{0,3}([^\s"']{4,80})/gi,
    holds: looksMixed,
  },
  // PINs and access codes of four to ten digits.
  {
    category: 'password',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?:${CODE_WORDS})${BETWEEN}(?:['’]s|\s{0,5}${IS})?[\s:=#]{0,5}(?:now\s{1,3})?${QUOTE}?(\d(?:[ .-]?[\dA-Za-z]){2,9})(?![\p{L}\p{N}])`,
      'giu',
    ),
    holds: (value) => (value.match(/\d/g) ?? []).length >= 3 && !/^(?:19|20)\d\d$/.test(value.replaceAll(' ', '')),
  },
  {
    category: 'secret',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}])(?:${SECRET_WORDS})${BETWEEN}(?:['’]s|\s{0,5}${IS}(?![\p{L}\p{N}]))?[\s:=]{0,5}${QUOTE}?([\w+/=.~$!@#%^&*-]{6,500})`,
      'giu',
    ),
    holds: (value) =>
      value.length >= 6 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/^\d{1,3}[a-z]{1,2}$/i.test(value),
  },
  // Recovery phrases of wallets.
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
  {
    category: 'government_id',
    pattern:
      /\b(?:passport|social security|ssn|driver'?s? licen[cs]e|national id|tax id|national insurance|steuer-?id|sozialversicherungsnummer|ausweisnummer|dni|nie|nif|codice fiscale|bsn|cpf)(?: (?:number|no\.?|nummer|nr\.?|#))?\s{0,5}(?:is|:|=|ist|lautet|es)?\s{0,5}["']?([A-Z0-9][A-Z0-9 .-]{4,20}[A-Z0-9])/gi,
    holds: (value) => (value.match(/\d/g) ?? []).length >= 4,
  },
];

const INVISIBLE = /\p{Cf}|\p{Variation_Selector}|\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u{E0000}-\u{E01EF}]/u;
const FOLDED = /[^\x00-\x7F]/;

/**
 * The normalised text that is scanned: without invisible characters, with plain digits, letters, dashes and spaces; and the original
 * offset of each character.
 */
function folded(text: string): { text: string; places: Uint32Array | null } {
  if (!FOLDED.test(text)) return { text, places: null };
  const characters: string[] = [];
  const places: number[] = [];
  let place = 0;
  for (const character of text) {
    if (!INVISIBLE.test(character)) {
      for (const one of plainForm(character)) {
        characters.push(one);
        for (let unit = 0; unit < one.length; unit += 1) places.push(place);
      }
    }
    place += character.length;
  }
  places.push(place);
  return { text: characters.join(''), places: Uint32Array.from(places) };
}

function plainForm(character: string): string {
  if (character < '\u0080') return character;
  if (/[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/.test(character)) return '-';
  if (/\p{Nd}/u.test(character)) return String(digitValue(character.codePointAt(0) ?? 0));
  if (/\p{Zs}/u.test(character)) return ' ';
  const code = character.codePointAt(0) ?? 0;
  return code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : character;
}

/** The value of a decimal digit in any script: Unicode has them in blocks of ten that begin with zero. */
function digitValue(code: number): number {
  let zero = code;
  while (code - zero < 10 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (code - zero) % 10;
}

/** All secrets of a text, in order of position, without overlaps. */
export function findSecrets(text: string): SecretSpan[] {
  const { text: plain, places } = folded(text);
  const found: SecretSpan[] = [];
  const add = (category: SecretCategory, start: number, end: number): void => {
    const span = places === null ? { start, end } : { start: places[start] ?? 0, end: places[end] ?? text.length };
    found.push({ category, ...span });
  };
  for (const { category, pattern, holds } of RULES) {
    for (const match of matchesOf(plain, pattern)) {
      const secret = match[1] ?? match[0];
      if (holds !== undefined && !holds(secret, match)) continue;
      const start = match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(secret));
      add(category, start, start + withoutMarks(secret).length);
    }
  }
  for (const { start, end } of cardNumbers(plain)) add('card', start, end);
  for (const { start, end } of seedPhrases(plain)) add('secret', start, end);
  for (const { start, end } of randomTokens(plain)) add('secret', start, end);
  const redacted = matchesOf(text, REDACTED).map(({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }));
  return withoutOverlaps(
    found.filter((span) => !redacted.some(({ start, end }) => span.start < end && start < span.end)),
  );
}

/** The replacement of a secret. It is not recognised as a secret itself, so that redaction is idempotent. */
const REDACTED = /\[(?:secret|password|card|bank account|government id) removed\]/g;

/** A secret without the punctuation mark that ends its sentence. */
function withoutMarks(secret: string): string {
  return secret.replace(/[.,;:)\]}"'”»]$/, '');
}

function withoutOverlaps(spans: SecretSpan[]): SecretSpan[] {
  spans.sort((one, other) => one.start - other.start || other.end - one.end);
  const kept: SecretSpan[] = [];
  for (const span of spans) {
    const last = kept.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else if (span.end > span.start) kept.push({ ...span });
  }
  return kept;
}

/**
 * Card numbers, with any separators. Other numbers may precede and follow a card number, so each group of digits is tried as its beginning.
 */
function cardNumbers(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const run of matchesOf(text, /\d(?:[\s.\-_/,|*]{0,3}\d){12,200}/g)) {
    const digits: { value: number; place: number; begins: boolean; ends: boolean }[] = [];
    for (let place = 0; place < run[0].length; place += 1) {
      const value = run[0].charCodeAt(place) - 48;
      if (value < 0 || value > 9) continue;
      const begins = digits.at(-1)?.place !== place - 1;
      if (begins && digits.length > 0) (digits.at(-1) as { ends: boolean }).ends = true;
      digits.push({ value, place, begins, ends: false });
    }
    (digits.at(-1) as { ends: boolean }).ends = true;
    for (let first = 0; first < digits.length; first += 1) {
      if (digits[first]?.begins !== true) continue;
      for (let count = Math.min(19, digits.length - first); count >= 13; count -= 1) {
        const last = digits[first + count - 1];
        if (last?.ends !== true || !passesLuhn(digits.slice(first, first + count).map(({ value }) => value))) continue;
        found.push({ start: run.index + (digits[first]?.place ?? 0), end: run.index + last.place + 1 });
        first += count - 1;
        break;
      }
    }
  }
  return found;
}

const SEED_LENGTH = 12;
const DISTINCT_WORDS = 8;

/** Twelve or more consecutive words that are all in the BIP 39 list: ordinary sentences mix them with other words. */
function seedPhrases(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let run: { start: number; end: number; count: number; words: Set<string> } | null = null;
  const close = (): void => {
    if (run !== null && run.count >= SEED_LENGTH && run.words.size >= DISTINCT_WORDS)
      found.push({ start: run.start, end: run.end });
    run = null;
  };
  for (const match of matchesOf(text, /[\p{L}\p{N}'’]+/gu)) {
    const word = match[0];
    if (/^\d{1,2}$/.test(word)) continue;
    const end = match.index + word.length;
    if (!SEED_WORDS.has(word.toLowerCase()) || (run !== null && match.index - run.end > 8)) {
      close();
      if (!SEED_WORDS.has(word.toLowerCase())) continue;
    }
    run ??= { start: match.index, end, count: 0, words: new Set() };
    run.end = end;
    run.count += 1;
    run.words.add(word.toLowerCase());
  }
  close();
  return found;
}

const LEAST_BITS = 4.2;

/**
 * Long random strings of upper-case letters, lower-case letters and digits: keys of providers without a prefix. Parts of URLs are
 * skipped.
 */
function randomTokens(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const match of matchesOf(text, /(?<![\w/.+=?&#%@-])[A-Za-z0-9+/_=-]{32,200}(?![\w/])/g)) {
    const token = match[0];
    if (!/\d/.test(token) || !/[a-z]/.test(token) || !/[A-Z]/.test(token) || token.split(/[-_/]/).length > 5) continue;
    if (bitsOf(token) >= LEAST_BITS) found.push({ start: match.index, end: match.index + token.length });
  }
  return found;
}

/** Shannon entropy of a word's characters, in bits per character. */
function bitsOf(token: string): number {
  const counts = new Map<string, number>();
  for (const character of token) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / token.length) * Math.log2(count / token.length);
  return bits;
}

function passesLuhn(digits: readonly number[]): boolean {
  // Cards begin with 2 to 6 (Visa, Mastercard, Amex, Discover, UnionPay, Maestro and the like).
  const [first = 0] = digits;
  if (first < 2 || first > 6) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits[digits.length - 1 - index] as number;
    const value = digit * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && digits.some((digit) => digit !== first);
}

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

// Irregular forms that suffix stripping cannot join; chosen for what people tell about their lives.
const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  (
    'went:go gone:go goes:go does:do bought:buy brought:bring taught:teach thought:think caught:catch fought:fight sought:seek ' +
    'found:find met:meet got:get gotten:get gave:give given:give took:take taken:take made:make said:say told:tell ' +
    'ran:run began:begin begun:begin wrote:write written:write read:read drove:drive driven:drive rode:ride ridden:ride ' +
    'flew:fly flown:fly grew:grow grown:grow knew:know known:know threw:throw thrown:throw drew:draw drawn:draw ' +
    'saw:see seen:see ate:eat eaten:eat drank:drink drunk:drink sang:sing sung:sing swam:swim swum:swim won:win ' +
    'wore:wear worn:wear broke:break broken:break spoke:speak spoken:speak chose:choose chosen:choose froze:freeze ' +
    'stole:steal woke:wake fell:fall fallen:fall felt:feel left:leave lost:lose kept:keep slept:sleep spent:spend ' +
    'sent:send built:build lent:lend held:hold sold:sell paid:pay heard:hear led:lead fed:feed hid:hide hidden:hide ' +
    'sat:sit stood:stand understood:understand became:become came:come shot:shoot shook:shake swore:swear tore:tear ' +
    'hung:hang stuck:stick struck:strike dug:dig bit:bite hurt:hurt cut:cut put:put quit:quit hit:hit let:let set:set ' +
    'dealt:deal dreamt:dream meant:mean leapt:leap learnt:learn burnt:burn forgot:forget forgotten:forget forgave:forgive ' +
    'laid:lay lit:light shown:show wed:wed rose:rise risen:rise did:do done:do had:have has:have was:be were:be been:be is:be are:be am:be ' +
    'children:child kids:kid men:man women:woman people:person feet:foot teeth:tooth mice:mouse geese:goose ' +
    'wives:wife knives:knife leaves:leaf shelves:shelf halves:half wolves:wolf selves:self ' +
    'better:good best:good worse:bad worst:bad dying:die lying:lie tying:tie ' +
    'mom:mother mum:mother mommy:mother dad:father daddy:father grandma:grandmother grandpa:grandfather bro:brother sis:sister ' +
    'photo:picture pic:picture photograph:picture photography:picture bike:bicycle tv:television fav:favorite favourite:favorite ' +
    'colour:color edu:education uni:university vet:veterinarian doc:doctor gym:gym bday:birthday xmas:christmas fridge:refrigerator ' +
    'tourney:tournament fam:family vacay:vacation exam:exam lab:lab'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const VOWEL = /[aeiouy]/;

function endsInDoubledConsonant(word: string): boolean {
  const last = word.at(-1);
  return word.length > 3 && last === word.at(-2) && last !== undefined && !'aeioulsz'.includes(last);
}

function stripVerbEnding(word: string, length: number): string {
  const stem = word.slice(0, -length);
  if (stem.length < 3 || !VOWEL.test(stem)) return word;
  if (endsInDoubledConsonant(stem)) return stem.slice(0, -1);
  return stem;
}

// "paint", "painted", "painting" and "paintings" meet; "hope", "hoped" and "hoping" meet in "hop(e)" minus its final e.
function stripSuffixes(word: string): string {
  let stem = word;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.endsWith('s') && stem.length > 3 && !/(?:ss|us|is)$/.test(stem)) stem = stem.slice(0, -1);
  if (stem.endsWith('ied') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith('ing')) stem = stripVerbEnding(stem, 3);
  else if (stem.endsWith('ed')) stem = stripVerbEnding(stem, 2);
  if (stem.endsWith('ly') && stem.length > 5) stem = stem.slice(0, -2);
  if (stem.endsWith('e') && stem.length > 3) stem = stem.slice(0, -1);
  if (stem.endsWith('y') && stem.length > 3) stem = `${stem.slice(0, -1)}i`;
  return stem;
}

export function stemEnglish(word: string): string {
  const irregular = IRREGULAR_FORMS.get(word);
  if (irregular !== undefined) return stripSuffixes(irregular);
  if (word.length < 4) return word;
  const stem = stripSuffixes(word);
  const again = IRREGULAR_FORMS.get(stem);
  return again === undefined ? stem : stripSuffixes(again);
}

const ARABIC_PREFIX = /^(?:وال|بال|كال|فال|لل|ال)/u;
const ARABIC_SUFFIX = /(?:ها|ان|ات|ون|ين|يه|ه|ي)$/u;

export function stemArabic(word: string): string {
  let stem = word
    .replace(/[أإآٱ]/gu, 'ا')
    .replace(/ى/gu, 'ي')
    .replace(/ة/gu, 'ه')
    .replace(/ـ/gu, '');
  const withoutPrefix = stem.replace(ARABIC_PREFIX, '');
  if (withoutPrefix.length >= 2) stem = withoutPrefix;
  const withoutSuffix = stem.replace(ARABIC_SUFFIX, '');
  return withoutSuffix.length >= 3 ? withoutSuffix : stem;
}

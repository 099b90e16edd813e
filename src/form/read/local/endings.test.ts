import { describe, expect, it } from 'vitest';
import { packOf } from '../../../language/packs/packs.ts';
import { fillSlots } from './fill-slots.ts';

const fill = (language: string, sentence: string): string[] => {
  const pack = packOf(language);
  if (pack === null) throw new Error(`There is no pack ${language}.`);
  const at = { now: new Date('2026-03-10T10:00:00Z'), timeZone: 'UTC', prefer: 'future' as const };
  return fillSlots(sentence, pack, at).map(
    ({ subject, attribute, value, polarity, tense }) =>
      `${subject === 'User' ? '' : `${subject} `}${polarity === 'denied' ? 'not ' : ''}${tense === 'planned' ? 'planned ' : ''}${attribute}=${value ?? ''}`,
  );
};

// The sentences are not in the training data. A denied slot without a value denies any known value.
const ENDINGS: Record<string, [sentence: string, ended: string][]> = {
  en: [
    ['Quit my job this morning, feels unreal', 'employer='],
    ['I finally resigned from Accenture', 'employer=Accenture'],
    ['i just quit my job at Lidl', 'employer=Lidl'],
    ['I got laid off last week', 'employer='],
    ['i was sacked yesterday', 'employer='],
    ['I left my job at Nokia to travel', 'employer=Nokia'],
    ['I retired in September', 'employer='],
    ['im retired now', 'job_title='],
    ["I'm unemployed at the moment", 'employer='],
    ['yesterday was my last day at Deloitte', 'employer=Deloitte'],
    ["I don't work there anymore", 'employer='],
    ['I stopped being a bartender', 'job_title=bartender'],
    ["I'm not a teacher anymore", 'job_title=teacher'],
    ['Hannah and I split up last month', 'partner_name=Hannah'],
    ['me and jonas broke up :(', 'partner_name=jonas'],
    ['we broke up yesterday', 'partner_name='],
    ['My boyfriend dumped me', 'partner_name='],
    ['i broke up with Marco', 'partner_name=Marco'],
    ['I divorced my husband', 'partner_name='],
    ['my wife left me.', 'partner_name='],
    ['our divorce is final', 'partner_name='],
    ['Priscilla is my ex now', 'partner_name=Priscilla'],
    ["I'm single again", 'partner_name='],
    ['we had to put Daisy down last night', 'pet_name=Daisy'],
    ['our cat Miso died on sunday', 'pet_name=Miso'],
    ['I sold my car last week', 'car='],
    ['we scrapped the Corsa', 'car=Corsa'],
    ['my car was written off', 'car='],
    ["I don't have a car any more", 'car='],
    ['our van got nicked last night', 'car='],
    ['The scooter was stolen from the yard', 'bike='],
    ['somebody stole my e-bike', 'bike='],
    ["I'm no longer vegan", 'diet=vegan'],
    ['im not a vegetarian any more', 'diet=vegetarian'],
    ['i eat meat again', 'diet='],
    ['I gave up being vegan', 'diet=vegan'],
    ['the keto diet is over', 'diet=keto'],
    ["I'm not allergic to cats after all", 'allergy=cats'],
    ['I am no longer allergic to penicillin', 'allergy=penicillin'],
    ['i outgrew my milk allergy', 'allergy=milk'],
  ],
  de: [
    ['Ich habe meinen Job verloren', 'employer='],
    ['hab heute gekündigt!', 'employer='],
    ['Ich bin jetzt in Rente', 'employer='],
    ['Ich habe bei Miele gekündigt', 'employer=Miele'],
    ['Jonas und ich haben uns getrennt', 'partner_name=Jonas'],
    ['wir haben uns letzte Woche getrennt', 'partner_name='],
    ['ich hab mich von meinem Freund getrennt', 'partner_name='],
    ['Mein Freund hat Schluss gemacht', 'partner_name='],
    ['wir haben unser Auto verkauft', 'car='],
    ['ich esse wieder Fleisch', 'diet='],
    ['ich bin kein Vegetarier mehr', 'diet=Vegetarier'],
    ['Ich bin doch nicht allergisch gegen Haselnüsse', 'allergy=Haselnüsse'],
    ['wir mussten Bello gestern einschläfern lassen', 'pet_name=Bello'],
  ],
  es: [
    ['Perdí mi trabajo ayer', 'employer='],
    ['Me han despedido del trabajo', 'employer='],
    ['Marta y yo hemos roto', 'partner_name=Marta'],
    ['mi novio me dejó', 'partner_name='],
    ['he vendido el coche', 'car='],
    ['ya no soy vegetariana', 'diet=vegetariana'],
    ['he vuelto a comer carne', 'diet='],
    ['no soy alérgica a las nueces', 'allergy=nueces'],
  ],
  fr: [
    ["j'ai perdu mon boulot", 'employer='],
    ["j'ai démissionné hier", 'employer='],
    ['Julie et moi, on a rompu', 'partner_name=Julie'],
    ["mon copain m'a quittée", 'partner_name='],
    ["j'ai vendu ma voiture", 'car='],
    ['je ne suis plus végétarienne', 'diet=végétarienne'],
    ['je ne suis pas allergique aux noix', 'allergy=noix'],
  ],
  it: [
    ['mi sono licenziata', 'employer='],
    ['ho perso il lavoro', 'employer='],
    ['mi sono lasciata con Paolo', 'partner_name=Paolo'],
    ['mi sono separato da mia moglie', 'partner_name='],
    ['ho venduto la macchina', 'car='],
    ['non sono più vegana', 'diet=vegana'],
  ],
  nl: [
    ['ik heb mijn baan opgezegd', 'employer='],
    ['ik ben ontslagen', 'employer='],
    ['Sanne en ik zijn uit elkaar', 'partner_name=Sanne'],
    ['ik heb mijn auto verkocht', 'car='],
    ['ik ben geen vegetariër meer', 'diet=vegetariër'],
    ['ik ben niet allergisch voor noten', 'allergy=noten'],
  ],
  pt: [
    ['pedi demissão', 'employer='],
    ['terminei com o Rafael', 'partner_name=Rafael'],
    ['vendi meu carro', 'car='],
    ['não sou mais vegetariana', 'diet=vegetariana'],
    ['não sou alérgica a camarão', 'allergy=camarão'],
  ],
  zh: [
    ['我辞职了', 'employer='],
    ['我和男朋友分手了', 'partner_name='],
    ['我把车卖了', 'car='],
    ['我不打网球了', 'sport=网球'],
    ['我已经放弃了书法', 'hobby=书法'],
    ['我又吃肉了', 'diet='],
    ['我其实对花生不过敏', 'allergy=花生'],
  ],
  ja: [
    ['先月、仕事を辞めました', 'employer='],
    ['彼氏と別れました', 'partner_name='],
    ['車を売りました', 'car='],
    ['陶芸はもうやめました', 'hobby=陶芸'],
    ['テニスをやめた', 'sport=テニス'],
  ],
};

/** Sentences that resemble an ending, a home or a job, but fill no slot. */
const HARMLESS: Record<string, string[]> = {
  en: [
    'I left the office early',
    'I left the hospital at 7',
    'I returned the bike for a check-up',
    'I quit smoking',
    'sold my car seat on ebay',
    'we broke up the party at midnight',
    'I quit the gym',
    'I lost my job sheet, can you resend it',
    'my sister quit her job',
    'when I quit my job in 2015 I travelled for a year',
    'I almost quit my job today',
    'I want to quit my job',
    'should I quit my job?',
    'if I lose my job we will have to move',
    'I left my job interview feeling good',
    'i left my job early today because of the snow',
    'I got fired up for the match',
    'I was let go early on friday',
    'i got fired from my first job',
    'my brother got fired',
    'he got laid off',
    'we split the bill',
    'Tom and I split the cost',
    'we split up at the station and met later',
    'the band and i broke up the stage',
    'my parents split up',
    'Anna and Ben broke up',
    'Kim left me a voicemail',
    'sam left me at the station',
    'I left my husband at the airport',
    'I left my wife a note',
    'my wife left me the car keys',
    'I dumped my bag on the sofa',
    'I put Max down on the sofa',
    'I put the baby to sleep',
    'we put Mia down for a nap',
    'had to put the phone down',
    "my sister's dog Rex died",
    'our neighbour died',
    'I sold my old car in 2012',
    'sold my car keys by accident lol',
    'I sold my car radio',
    'I sold a car today, great commission',
    'my dad sold his car',
    'thinking of selling my car',
    "I'm not a morning person anymore",
    "I'm not hungry anymore",
    'vegan food is over there',
    'is the vegan thing over?',
    'I am not allergic to hard work',
    'my son is not allergic to nuts',
    'I retired to bed at nine',
    'I retired the old laptop',
    'my dad retired last year',
    'I resigned myself to it',
    'we are done with the kitchen',
    "I'm done at the dentist",
    'today was my last day of antibiotics',
    'I quit Duolingo',
    'I left Tesco with two bags',
    'I left London at 5 this morning',
    'I finished with the hoover',
    'I gave up sugar for lent',
    'we separated the recycling',
    'we separated the whites from the colours',
    'Zoe and I separated the eggs',
    'the car is sold out',
    'we split up into two teams',
    "I'm at Lidl now, need anything?",
    'im at Costa atm',
    "I'm working at my mum's today",
    'working at Pret this morning',
    'im working from Nero this afternoon',
    'I moved to Linux last year',
    'we moved to Notion at work',
    'i moved to Firefox',
    "I'm living in Photoshop this week",
    'I moved to Signal',
    'i turned 30 chairs around for the party',
    'i turned 50 degrees',
    "i'm a new yorker now",
    "I'm a dubliner",
    'i am engaged in a long fight with the landlord',
    'I am married to the sea',
    'my dog is the manager of this house',
    'walking my sisters dog Rolo',
    "my boss's cat Whiskers scratched me",
    "looking after our neighbour's dog Bruno",
    'I feed a cat called Smokey on my street',
    "I'm allergic to your jokes",
    'my cat works at Google haha',
    'in the game I live in Whiterun',
    "i've been living in Berlin in the sims",
  ],
  de: [
    'ich habe mein Fitnessstudio gekündigt',
    'ich hab den Handyvertrag gekündigt',
    'Ich wurde aus dem Krankenhaus entlassen',
    'wir haben uns am Bahnhof getrennt',
    'wir haben den Müll getrennt',
    'Ich habe das Büro um fünf verlassen',
    'mein Bruder hat seinen Job verloren',
    'wenn ich meinen Job verliere, ziehen wir um',
    'bin gerade bei Rewe',
    'ich hab morgen einen Termin bei Allianz',
  ],
  es: [
    'dejé el trabajo a medias',
    'salí del trabajo a las 7',
    'Marta y yo rompimos el jarrón',
    'vendí el coche de mi padre',
    'mi hermana perdió su trabajo',
    'mi novio me dejó las llaves',
  ],
  fr: [
    "j'ai quitté mon travail plus tôt",
    'je suis chez Leclerc',
    "j'ai rompu le pain",
    'ma sœur a perdu son boulot',
    "j'ai vendu la voiture de mon père",
  ],
  it: [
    'sono da Conad',
    'sono uscita dal lavoro alle 6',
    'ci siamo lasciati alla stazione',
    'mia sorella ha perso il lavoro',
  ],
  nl: ['ik ben ontslagen uit het ziekenhuis', 'ik ben vandaag vroeg weg bij de dokter', 'mijn broer is ontslagen'],
  pt: ['saí do trabalho às 5', 'terminei com o relatório', 'minha irmã perdeu o emprego'],
  zh: ['我想辞职', '我妹妹辞职了', '我妹妹不打网球了', '我和小李分工了'],
  ja: ['仕事を辞めたい', '駅で友達と別れた', '夫が会社を辞めました', '姉は陶芸をやめた', '陶芸をやめたい'],
};

describe.each(Object.entries(ENDINGS))('denies a value that has ended, in %s', (language, table) => {
  it.each(table)('%s', (sentence, ended) => {
    const slots = fill(language, sentence);
    expect(slots).toContain(`not ${ended}`);
    expect(slots).not.toContain(ended);
  });
});

describe.each(Object.entries(HARMLESS))(
  'fills no slot from a sentence that only resembles an ending, in %s',
  (language, sentences) => {
    it.each(sentences)('%s', (sentence) => {
      expect(fill(language, sentence)).toEqual([]);
    });
  },
);

describe('fills a new value beside words about an ending, a change or the present moment', () => {
  it.each([
    ['left Boots in june, started at Superdrug last week', 'employer=Superdrug'],
    ['upgraded to a pixel 9 yesterday', 'phone_model=pixel 9'],
    ["changed my number, it's 07911 123456", 'phone_number=07911 123456'],
    ["i don't live in Derby any more, i'm in Stoke now", 'home_city=Stoke'],
    ['back to being vegetarian', 'diet=vegetarian'],
    ['went vegan in march', 'diet=vegan'],
    ["I've just started at Costa today", 'employer=Costa'],
    ['I moved to Lyon today', 'home_city=Lyon'],
    ['I just turned 41', 'age=41'],
    ["I'm with Vodafone now", 'employer=Vodafone'],
    ['my gorgeous cat Whiskers', 'pet_name=Whiskers'],
    ["I drive a Golf but I'm selling it next month", 'car=Golf'],
    ["I work at Nokia but from January I'm on leave", 'employer=Nokia'],
  ])('%s', (sentence, slot) => {
    expect(fill('en', sentence)).toContain(slot);
  });
});

describe('the name of a partner or a pet in a sentence about a separation or a loss', () => {
  it.each([
    ['en', 'My boyfriend Ruairi and I split up in May', ['not partner_name=Ruairi']],
    ['en', 'my wife Hanne walked out', []],
    ['en', 'our dog Biscuit has gone missing', []],
    ['en', 'My husband Idris passed away', ['not partner_name=Idris', 'relationship_status=widowed']],
    ['en', 'My husband Idris passed his driving test', ['partner_name=Idris']],
    ['en', 'I left my wife Hanne a note', []],
    ['en', 'my wife Hanne left me a note', ['partner_name=Hanne']],
    ['de', 'Mein Mann Holger hat mich letzte Woche verlassen', ['not partner_name=Holger']],
    ['de', 'Unsere Katze Minka ist weggelaufen', []],
    ['es', 'He cortado con mi novia Nerea', ['not partner_name=Nerea']],
    ['fr', "Ma femme Solène m'a quitté", ['not partner_name=Solène']],
    ['it', 'Il mio cane Zorro è scappato', []],
    ['nl', 'Mijn kat Moos is verdwenen', []],
    ['pt', 'Terminei com meu namorado Davi', ['not partner_name=Davi']],
    ['ja', '彼女の奈緒と別れた', ['not partner_name=奈緒']],
  ])('%s: %s', (language, sentence, slots) => {
    expect(fill(language, sentence).toSorted()).toEqual(slots.toSorted());
  });
});

describe('a diet that consists of leaving something out', () => {
  it.each([
    ['en', "We don't eat seafood any more", 'diet=no seafood'],
    ['en', 'My husband no longer eats bread', "User's husband diet=no bread"],
    ['en', 'I gave up sugar in January', 'diet=no sugar'],
    ['de', 'Ich esse keinen Fisch mehr', 'diet=kein Fisch'],
    ['es', 'Desde enero ya no como cerdo', 'diet=sin cerdo'],
    ['fr', 'Je ne mange plus de poisson', 'diet=pas de poisson'],
    ['it', 'Non mangio più pesce', 'diet=niente pesce'],
    ['nl', 'Ik eet geen zuivel meer', 'diet=geen zuivel'],
    ['pt', 'Não como mais peixe', 'diet=sem peixe'],
    ['zh', '我不吃海鲜了', 'diet=不吃海鲜'],
    ['ja', 'もう豚肉は食べません', 'diet=豚肉なし'],
  ])('%s: %s', (language, sentence, slot) => {
    expect(fill(language, sentence)).toEqual([slot]);
  });

  it('is not filled from a sentence about a job or a diet that has ended', () => {
    expect(fill('en', 'I no longer drive a taxi at night')).toEqual(['not job_title=taxi driver']);
    expect(fill('en', "I'm not vegan any more")).toEqual(['not diet=vegan']);
    expect(fill('en', 'I used to not eat fish')).toEqual([]);
  });
});

describe('denies the name of an animal that had to be put down', () => {
  it.each([
    ['en', 'Last week we had to have our old cat Tibbles put to sleep', 'Tibbles'],
    ['es', 'Ayer tuvimos que dormir a nuestra gata Nube', 'Nube'],
    ['fr', "J'ai dû faire euthanasier mon chat Biscotte", 'Biscotte'],
    ['it', 'Ho dovuto far sopprimere il mio gatto Briciola', 'Briciola'],
    ['nl', 'We moesten onze kat Moos laten inslapen', 'Moos'],
    ['pt', 'Tivemos que sacrificar a nossa gata Mel', 'Mel'],
  ])('%s: %s', (language, sentence, name) => {
    expect(fill(language, sentence)).toEqual([`not pet_name=${name}`]);
  });
});

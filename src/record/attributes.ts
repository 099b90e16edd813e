import { invalidInput } from '../errors.ts';
import { keySchema, type FactCategory } from './memory.ts';

/** What the value of an attribute looks like: how two values are compared, and which values are not values at all. */
export type ValueShape = 'text' | 'name' | 'date' | 'number' | 'email' | 'phone';

/** Words by language: `en`, `de`, `es` …; English is the fallback. */
export type ByLanguage<Words> = { readonly en: Words } & { readonly [language: string]: Words };

/** What an attribute means for the statements that have it: an attribute is a policy, as a type is. */
export interface Attribute {
  /** One value at a time, so that another value replaces it; or many beside each other. */
  values: 'one' | 'many';
  category: FactCategory;
  shape: ValueShape;
  /** Whether a statement of the user with this attribute is a permanent fact: never faded, always in the prompt. */
  permanent: boolean;
  /** Whether the value names somebody else (a partner, a child, a pet): such a statement is about the one whose partner it is. */
  namesSomebody: boolean;
  /** For people: "Home city". */
  labels: ByLanguage<string>;
  /** Other names that readers give it, snake_case. */
  synonyms: readonly string[];
}

/** An attribute of an application's own. What it leaves out is as for an unknown attribute. */
export type AttributeInput = Partial<Attribute>;

/** The table that a store works with: Varve's attributes and the application's, with their synonyms. */
export interface AttributeTable {
  /** The policy of a name; an unknown name has the policy of many values, which replace nothing. */
  policyOf(attribute: string): Attribute;
  /** The table's own name for a reader's name (`city` → `home_city`), snake_case; null when nothing is left of it. */
  resolve(name: string | null | undefined): string | null;
  isKnown(attribute: string): boolean;
  names(): string[];
}

type Row = [
  values: 'one' | 'many',
  category: FactCategory,
  shape: ValueShape,
  labels: ByLanguage<string>,
  synonyms?: string,
  namesSomebody?: boolean,
];

const one = (category: FactCategory, shape: ValueShape, labels: ByLanguage<string>, synonyms = ''): Row => [
  'one',
  category,
  shape,
  labels,
  synonyms,
];
const many = (category: FactCategory, shape: ValueShape, labels: ByLanguage<string>, synonyms = ''): Row => [
  'many',
  category,
  shape,
  labels,
  synonyms,
];

/** The name of somebody who belongs to the subject. */
const somebody = (values: Row[0], category: FactCategory, labels: ByLanguage<string>, synonyms: string): Row => [
  values,
  category,
  'name',
  labels,
  synonyms,
  true,
];

/** Permanent facts of a person: they hold until they change, and they are worth a line in every prompt. */
const LASTING: Readonly<Record<string, Row>> = {
  name: one(
    'personal',
    'name',
    { en: 'Name', de: 'Name', es: 'Nombre', fr: 'Nom', pt: 'Nome', it: 'Nome', nl: 'Naam', zh: '姓名', ja: '名前' },
    'full_name first_name own_name user_name',
  ),
  preferred_name: one(
    'personal',
    'name',
    {
      en: 'Preferred name',
      de: 'Rufname',
      es: 'Apodo',
      fr: 'Surnom',
      pt: 'Apelido',
      it: 'Soprannome',
      nl: 'Roepnaam',
      zh: '称呼',
      ja: '呼び名',
    },
    'nickname called goes_by',
  ),
  pronouns: one('personal', 'text', { en: 'Pronouns' }),
  birthday: one(
    'personal',
    'date',
    {
      en: 'Birthday',
      de: 'Geburtstag',
      es: 'Cumpleaños',
      fr: 'Anniversaire',
      pt: 'Aniversário',
      it: 'Compleanno',
      nl: 'Verjaardag',
      zh: '生日',
      ja: '誕生日',
    },
    'birth_date date_of_birth born_on',
  ),
  age: one(
    'personal',
    'number',
    { en: 'Age', de: 'Alter', es: 'Edad', fr: 'Âge', pt: 'Idade', it: 'Età', nl: 'Leeftijd', zh: '年龄', ja: '年齢' },
    'years_old',
  ),
  home_city: one(
    'location',
    'name',
    {
      en: 'Home city',
      de: 'Wohnort',
      es: 'Ciudad',
      fr: 'Ville',
      pt: 'Cidade',
      it: 'Città',
      nl: 'Woonplaats',
      zh: '居住城市',
      ja: '居住地',
    },
    'city lives_in residence current_city location home_town_now place_of_residence home',
  ),
  home_country: one(
    'location',
    'name',
    {
      en: 'Home country',
      de: 'Wohnland',
      es: 'País',
      fr: 'Pays',
      pt: 'País',
      it: 'Paese',
      nl: 'Land',
      zh: '居住国家',
      ja: '居住国',
    },
    'country country_of_residence',
  ),
  hometown: one(
    'location',
    'name',
    {
      en: 'Hometown',
      de: 'Heimatort',
      es: 'Ciudad natal',
      fr: 'Ville d’origine',
      pt: 'Terra natal',
      it: 'Città natale',
      nl: 'Geboorteplaats',
      zh: '家乡',
      ja: '出身地',
    },
    'birthplace grew_up_in from origin',
  ),
  address: one(
    'location',
    'text',
    {
      en: 'Address',
      de: 'Adresse',
      es: 'Dirección',
      fr: 'Adresse',
      pt: 'Endereço',
      it: 'Indirizzo',
      nl: 'Adres',
      zh: '地址',
      ja: '住所',
    },
    'home_address street_address',
  ),
  timezone: one('location', 'text', { en: 'Time zone', de: 'Zeitzone' }, 'time_zone'),
  employer: one(
    'work',
    'name',
    {
      en: 'Employer',
      de: 'Arbeitgeber',
      es: 'Empresa',
      fr: 'Employeur',
      pt: 'Empregador',
      it: 'Datore di lavoro',
      nl: 'Werkgever',
      zh: '雇主',
      ja: '勤務先',
    },
    'company workplace works_at works_for organisation organization current_employer',
  ),
  job_title: one(
    'work',
    'text',
    {
      en: 'Job title',
      de: 'Beruf',
      es: 'Profesión',
      fr: 'Métier',
      pt: 'Profissão',
      it: 'Professione',
      nl: 'Beroep',
      zh: '职业',
      ja: '職業',
    },
    'job occupation profession works_as work',
  ),
  manager_name: somebody(
    'one',
    'work',
    { en: 'Manager', de: 'Vorgesetzter' },
    'manager boss line_manager supervisor boss_name',
  ),
  industry: one('work', 'text', { en: 'Industry', de: 'Branche' }, 'sector field'),
  salary: one(
    'work',
    'number',
    {
      en: 'Salary',
      de: 'Gehalt',
      es: 'Sueldo',
      fr: 'Salaire',
      pt: 'Salário',
      it: 'Stipendio',
      nl: 'Salaris',
      zh: '工资',
      ja: '給料',
    },
    'income pay wage earnings',
  ),
  working_hours: one(
    'work',
    'text',
    { en: 'Working hours', de: 'Arbeitszeit' },
    'work_hours work_schedule shift shifts',
  ),
  school: one(
    'personal',
    'name',
    {
      en: 'School',
      de: 'Schule',
      es: 'Escuela',
      fr: 'École',
      pt: 'Escola',
      it: 'Scuola',
      nl: 'School',
      zh: '学校',
      ja: '学校',
    },
    'university college studies_at alma_mater',
  ),
  degree: many('personal', 'text', { en: 'Degree', de: 'Abschluss' }, 'education qualification'),
  relationship_status: one('personal', 'text', { en: 'Relationship status', de: 'Familienstand' }, 'marital_status'),
  partner_name: somebody(
    'one',
    'personal',
    {
      en: 'Partner',
      de: 'Partner',
      es: 'Pareja',
      fr: 'Partenaire',
      pt: 'Parceiro',
      it: 'Partner',
      nl: 'Partner',
      zh: '伴侣',
      ja: 'パートナー',
    },
    'partner spouse spouse_name wife wife_name husband husband_name girlfriend boyfriend girlfriend_name boyfriend_name fiance fiancee',
  ),
  child_name: somebody(
    'many',
    'personal',
    {
      en: 'Child',
      de: 'Kind',
      es: 'Hijo',
      fr: 'Enfant',
      pt: 'Filho',
      it: 'Figlio',
      nl: 'Kind',
      zh: '孩子',
      ja: '子ども',
    },
    'child children kids son daughter son_name daughter_name',
  ),
  sibling_name: somebody(
    'many',
    'personal',
    { en: 'Sibling', de: 'Geschwister' },
    'sister brother sister_name brother_name sibling',
  ),
  mother_name: somebody('one', 'personal', { en: 'Mother' }, 'mother mum mom'),
  father_name: somebody('one', 'personal', { en: 'Father' }, 'father dad'),
  pet_name: somebody(
    'many',
    'personal',
    {
      en: 'Pet',
      de: 'Haustier',
      es: 'Mascota',
      fr: 'Animal',
      pt: 'Animal de estimação',
      it: 'Animale',
      nl: 'Huisdier',
      zh: '宠物',
      ja: 'ペット',
    },
    'dog_name cat_name pet dog cat',
  ),
  pet_species: many('personal', 'text', { en: 'Kind of pet' }, 'pet_breed dog_breed breed'),
  phone_model: one('personal', 'text', { en: 'Phone model' }, 'mobile_phone smartphone'),
  car: one('personal', 'text', { en: 'Car', de: 'Auto' }, 'vehicle car_model'),
  bike: one('personal', 'text', { en: 'Bike', de: 'Fahrrad' }, 'bicycle'),
  instrument: many('personal', 'text', { en: 'Instrument' }, 'plays_instrument musical_instrument'),
  diet: one(
    'health',
    'text',
    {
      en: 'Diet',
      de: 'Ernährung',
      es: 'Dieta',
      fr: 'Régime',
      pt: 'Dieta',
      it: 'Dieta',
      nl: 'Dieet',
      zh: '饮食',
      ja: '食生活',
    },
    'dietary_preference dietary_restriction eats',
  ),
  allergy: many(
    'health',
    'text',
    {
      en: 'Allergy',
      de: 'Allergie',
      es: 'Alergia',
      fr: 'Allergie',
      pt: 'Alergia',
      it: 'Allergia',
      nl: 'Allergie',
      zh: '过敏',
      ja: 'アレルギー',
    },
    'allergies allergic_to intolerance food_allergy food_intolerance drug_intolerance drug_allergy',
  ),
  medical_condition: many(
    'health',
    'text',
    { en: 'Medical condition', de: 'Erkrankung' },
    'illness diagnosis health_condition disease injury',
  ),
  medication: many(
    'health',
    'text',
    { en: 'Medication', de: 'Medikament' },
    'medicine medications takes_medication drug painkiller',
  ),
  blood_type: one('health', 'text', { en: 'Blood type', de: 'Blutgruppe' }, 'blood_group'),
  language: many(
    'personal',
    'text',
    {
      en: 'Language',
      de: 'Sprache',
      es: 'Idioma',
      fr: 'Langue',
      pt: 'Idioma',
      it: 'Lingua',
      nl: 'Taal',
      zh: '语言',
      ja: '言語',
    },
    'languages speaks native_language mother_tongue',
  ),
  nationality: many('personal', 'text', { en: 'Nationality' }, 'citizenship'),
  email: one('personal', 'email', { en: 'E-mail' }, 'email_address mail e_mail'),
  phone_number: one(
    'personal',
    'phone',
    { en: 'Phone number', de: 'Telefonnummer' },
    'phone telephone mobile_number telephone_number',
  ),
  rent: one('personal', 'number', { en: 'Rent', de: 'Miete' }, 'monthly_rent'),
  budget: one('general', 'number', { en: 'Budget' }, 'price_limit spending_limit'),
  hobby: many(
    'preference',
    'text',
    {
      en: 'Hobby',
      de: 'Hobby',
      es: 'Afición',
      fr: 'Loisir',
      pt: 'Hobby',
      it: 'Hobby',
      nl: 'Hobby',
      zh: '爱好',
      ja: '趣味',
    },
    'hobbies pastime interest interests',
  ),
  sport: many('preference', 'text', { en: 'Sport', de: 'Sport' }, 'sports workout'),
  favourite_food: one(
    'preference',
    'text',
    {
      en: 'Favourite food',
      de: 'Lieblingsessen',
      es: 'Comida favorita',
      fr: 'Plat préféré',
      pt: 'Comida favorita',
      it: 'Cibo preferito',
      nl: 'Lievelingseten',
      zh: '最喜欢的食物',
      ja: '好きな食べ物',
    },
    'favorite_food favourite_dish favorite_dish',
  ),
  favourite_music: one(
    'preference',
    'text',
    { en: 'Favourite music' },
    'favorite_music favourite_band favorite_band favourite_song favorite_artist',
  ),
  favourite_book: one('preference', 'text', { en: 'Favourite book' }, 'favorite_book favourite_author favorite_author'),
  favourite_film: one('preference', 'text', { en: 'Favourite film' }, 'favorite_film favourite_movie favorite_movie'),
  favourite_colour: one(
    'preference',
    'text',
    { en: 'Favourite colour', de: 'Lieblingsfarbe' },
    'favorite_color favourite_color favorite_colour',
  ),
  favourite_place: one('preference', 'text', { en: 'Favourite place' }, 'favorite_place'),
  answer_length: one('preference', 'text', { en: 'Answer length' }, 'response_length reply_length'),
  answer_tone: many('preference', 'text', { en: 'Answer tone' }, 'response_tone tone reply_tone communication_style'),
  answer_format: many('preference', 'text', { en: 'Answer format' }, 'response_format reply_format formatting units'),
  answer_language: one(
    'preference',
    'text',
    { en: 'Answer language' },
    'response_language reply_language preferred_language',
  ),
};

/** Attributes by which statements are compared without being permanent facts: they fade, or they are over soon. */
const PASSING: Readonly<Record<string, Row>> = {
  likes: many(
    'preference',
    'text',
    { en: 'Likes', de: 'Mag', es: 'Le gusta', fr: 'Aime', pt: 'Gosta de', it: 'Ama', nl: 'Houdt van' },
    'loves enjoys fan_of like',
  ),
  dislikes: many('preference', 'text', { en: 'Dislikes', de: 'Mag nicht' }, 'hates dislike avoids'),
  preference: many('preference', 'text', { en: 'Preference' }, 'prefers'),
  goal: many(
    'general',
    'text',
    { en: 'Goal', de: 'Ziel', es: 'Meta', fr: 'Objectif', pt: 'Meta', it: 'Obiettivo', nl: 'Doel' },
    'wants aim ambition objective',
  ),
  decision: many('general', 'text', { en: 'Decision' }, 'decided choice'),
  plan: many('general', 'text', { en: 'Plan' }, 'plans intention todo task'),
  project: many('work', 'text', { en: 'Project', de: 'Projekt' }, 'working_on'),
  deadline: many('general', 'date', { en: 'Deadline', de: 'Frist' }, 'due_date due'),
  appointment: many('general', 'text', { en: 'Appointment', de: 'Termin' }, 'meeting'),
  travel_destination: many(
    'general',
    'name',
    { en: 'Travel destination', de: 'Reiseziel' },
    'trip destination travel trip_destination',
  ),
  travel_date: many('general', 'date', { en: 'Travel date', de: 'Reisedatum' }, 'trip_date'),
  friend: somebody('many', 'personal', { en: 'Friend' }, 'friend_name friends'),
  colleague: somebody('many', 'work', { en: 'Colleague' }, 'colleague_name coworker team_member'),
  owns: many('personal', 'text', { en: 'Owns' }, 'has possession'),
  skill: many('personal', 'text', { en: 'Skill' }, 'skills ability'),
  habit: many('personal', 'text', { en: 'Habit' }, 'routine'),
};

/** What an attribute is that no table knows: it may stand beside others, and it replaces nothing. */
const UNKNOWN: Attribute = {
  values: 'many',
  category: 'general',
  shape: 'text',
  permanent: false,
  namesSomebody: false,
  labels: { en: '' },
  synonyms: [],
};

/** The attributes that Varve knows. An application adds its own with `createVarve({ attributes })`. */
export const ATTRIBUTES: { readonly [attribute: string]: Attribute } = Object.fromEntries(
  [...Object.entries(LASTING), ...Object.entries(PASSING)].map(
    ([name, [values, category, shape, labels, synonyms = '', namesSomebody = false]]) => [
      name,
      {
        values,
        category,
        shape,
        labels,
        namesSomebody,
        permanent: name in LASTING,
        synonyms: synonyms.split(' ').filter(Boolean),
      },
    ],
  ),
);

/** Joins an application's attributes to Varve's own. Changing one of Varve's is allowed: its policy is a setting. */
export function attributeTable(added: Record<string, AttributeInput> = {}): AttributeTable {
  const table = new Map(Object.entries(ATTRIBUTES));
  for (const [name, policy] of Object.entries(added)) {
    if (!keySchema.safeParse(name).success) {
      throw invalidInput(`The attribute ${JSON.stringify(name)} needs a snake_case name, such as home_city.`);
    }
    table.set(name, { ...(table.get(name) ?? UNKNOWN), ...policy });
  }
  const synonyms = new Map(
    [...table].flatMap(([name, policy]) => policy.synonyms.map((other) => [other, name] as const)),
  );
  return {
    policyOf: (attribute) => table.get(attribute) ?? UNKNOWN,
    resolve(name) {
      const key = snakeCase(name ?? '');
      if (key === '') return null;
      return table.has(key) ? key : (synonyms.get(key) ?? key);
    },
    isKnown: (attribute) => table.has(attribute),
    names: () => [...table.keys()],
  };
}

/** "Home City" → `home_city`; empty when no Latin letter is left. */
export function snakeCase(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+|_$/g, '')
    .slice(0, 100);
}

/** "home_city" → "Home city", in a language where the table has one. */
export function attributeLabel(table: AttributeTable, attribute: string, language = 'en'): string {
  const { labels } = table.policyOf(attribute);
  const label = labels[language] ?? labels.en;
  if (label !== '') return label;
  const words = attribute.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A value as it is compared: case, accents, articles, punctuation and the spelling of numbers do not count. `40k` is `40000`.
 * Two values that are equal here are one value; two that differ here may still mean the same ("LA", "Los Angeles").
 */
export function normalValue(value: string, shape: ValueShape = 'text'): string {
  const plain = value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/[’']/g, "'").trim();
  if (shape === 'phone') return plain.replace(/[^\d+]/g, '');
  const words = plain
    .replace(/(\d)[,.\s'](?=\d{3}\b)/g, '$1')
    .replace(/(\d{1,15}(?:\.\d{1,15})?)\s?k\b/g, (_, number: string) => String(Number(number) * 1000))
    .replace(/^(?:(?:a|an|the|my|der|die|das|ein|eine|el|la|los|las|le|les|un|une|o|os|as|il|lo|de|het|een)\s+)+/u, '')
    .replace(/[^\p{L}\p{N}@.+-]+/gu, ' ')
    .replace(/\.(?!\d)/g, '')
    .trim();
  return shape === 'number' ? (/\d+(?:\.\d+)?/.exec(words)?.[0] ?? words) : words;
}

/** Whether two values of an attribute are one value. */
export function isSameValue(one: string | null, other: string | null, shape: ValueShape = 'text'): boolean {
  if (one === null || other === null) return one === other;
  return normalValue(one, shape) === normalValue(other, shape);
}

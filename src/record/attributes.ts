export const FACT_CATEGORIES = ['location', 'personal', 'preference', 'work', 'health', 'general'] as const;
export type FactCategory = (typeof FACT_CATEGORIES)[number];

/** The kind of an attribute's values: it decides how two values are compared and which texts are refused. */
export const VALUE_SHAPES = ['text', 'name', 'date', 'number', 'email', 'phone'] as const;
export type ValueShape = (typeof VALUE_SHAPES)[number];

/** Words by language: `en`, `de`, `es` …; English is the fallback. */
export type ByLanguage<Words> = { readonly en: Words } & { readonly [language: string]: Words };

/** How statements with an attribute behave. */
export interface Attribute {
  /** `one`: a new value replaces the old one. `many`: several values are true at the same time. */
  values: 'one' | 'many';
  category: FactCategory;
  shape: ValueShape;
  /** Whether a statement about the user with this attribute is a permanent fact: it never fades, and every prompt contains it. */
  permanent: boolean;
  /** Whether the value names somebody else, such as a partner or a pet. The subject is then the person who has this partner or pet. */
  namesSomebody: boolean;
  /** Special rules for the attribute, mostly for the local reader. */
  traits: readonly TraitOrList[];
  /** The name shown to people: "Home city". */
  labels: ByLanguage<string>;
  /** Other snake_case names for the attribute. */
  synonyms: readonly string[];
  /** Words in questions besides the names: "Where do I live?" asks for `home_city`. A few common English words suffice. */
  askedWith: readonly string[];
}

/** An application's attribute. Absent fields come from Varve's attribute of the same name, or else from the defaults. */
export type AttributeInput = Partial<Attribute>;

export interface AttributeTable {
  /** Returns an attribute's policy. An unknown attribute allows many values at once. */
  policyOf(attribute: string): Attribute;
  /** Converts a reader's name to the table's (`city` → `home_city`). Null if normalisation leaves nothing of the name. */
  resolve(name: string | null | undefined): string | null;
  isKnown(attribute: string): boolean;
  names(): string[];
}

/** A row of the table. `namesSomebody` is false, and the lists are empty, unless the row says otherwise. */
interface Row
  extends
    Pick<Attribute, 'values' | 'category' | 'shape' | 'labels'>,
    Partial<Pick<Attribute, 'namesSomebody' | 'traits'>> {
  /** Separated by spaces, as in `askedWith`. */
  synonyms?: string;
  askedWith?: string;
}

/** Attributes of permanent facts. Such a fact is true until it changes, and every prompt contains it. */
// The formatter would write each label on a line of its own.
// oxfmt-ignore
const LASTING = {
  name: {
    values: 'one', category: 'personal', shape: 'name', traits: ['person', 'vital', 'own', 'identity', 'denies'],
    synonyms: 'full_name first_name own_name user_name',
    labels: { en: 'Name', de: 'Name', es: 'Nombre', fr: 'Nom', pt: 'Nome', it: 'Nome', nl: 'Naam', zh: '姓名', ja: '名前' },
  },
  preferred_name: {
    values: 'one', category: 'personal', shape: 'name', traits: ['person', 'vital', 'own', 'wish', 'denies'],
    synonyms: 'nickname called goes_by',
    labels: { en: 'Preferred name', de: 'Rufname', es: 'Apodo', fr: 'Surnom', pt: 'Apelido', it: 'Soprannome', nl: 'Roepnaam', zh: '称呼', ja: '呼び名' },
  },
  pronouns: {
    values: 'one', category: 'personal', shape: 'text', traits: ['vital'],
    labels: { en: 'Pronouns' },
  },
  birthday: {
    values: 'one', category: 'personal', shape: 'date', traits: ['vital', 'inPast'], synonyms: 'birth_date date_of_birth born_on',
    askedWith: 'born birth old',
    labels: { en: 'Birthday', de: 'Geburtstag', es: 'Cumpleaños', fr: 'Anniversaire', pt: 'Aniversário', it: 'Compleanno', nl: 'Verjaardag', zh: '生日', ja: '誕生日' },
  },
  age: {
    values: 'one', category: 'personal', shape: 'number', traits: ['exact'], synonyms: 'years_old', askedWith: 'old born',
    labels: { en: 'Age', de: 'Alter', es: 'Edad', fr: 'Âge', pt: 'Idade', it: 'Età', nl: 'Leeftijd', zh: '年龄', ja: '年齢' },
  },
  home_city: {
    values: 'one', category: 'location', shape: 'name', traits: ['place', 'lasting', 'town', 'identity', 'leaves', 'denies'],
    synonyms: 'city lives_in residence current_city location home_town_now place_of_residence home',
    askedWith: 'live living reside based home town neighborhood apartment flat house',
    labels: { en: 'Home city', de: 'Wohnort', es: 'Ciudad', fr: 'Ville', pt: 'Cidade', it: 'Città', nl: 'Woonplaats', zh: '居住城市', ja: '居住地' },
  },
  home_country: {
    values: 'one', category: 'location', shape: 'name', traits: ['place', 'lasting', 'town', 'leaves', 'denies'],
    synonyms: 'country country_of_residence', askedWith: 'live living reside based',
    labels: { en: 'Home country', de: 'Wohnland', es: 'País', fr: 'Pays', pt: 'País', it: 'Paese', nl: 'Land', zh: '居住国家', ja: '居住国' },
  },
  hometown: {
    values: 'one', category: 'location', shape: 'name', traits: ['place', 'town', 'denies'],
    synonyms: 'birthplace grew_up_in from origin',
    labels: { en: 'Hometown', de: 'Heimatort', es: 'Ciudad natal', fr: 'Ville d’origine', pt: 'Terra natal', it: 'Città natale', nl: 'Geboorteplaats', zh: '家乡', ja: '出身地' },
  },
  address: {
    values: 'one', category: 'location', shape: 'text', traits: ['place', 'leaves', 'denies'],
    synonyms: 'home_address street_address', askedWith: 'live living home street',
    labels: { en: 'Address', de: 'Adresse', es: 'Dirección', fr: 'Adresse', pt: 'Endereço', it: 'Indirizzo', nl: 'Adres', zh: '地址', ja: '住所' },
  },
  timezone: {
    values: 'one', category: 'location', shape: 'text', synonyms: 'time_zone',
    labels: { en: 'Time zone', de: 'Zeitzone' },
  },
  employer: {
    values: 'one', category: 'work', shape: 'name', traits: ['place', 'lasting', 'work', 'quits', 'identity', 'firm'],
    synonyms: 'company workplace works_at works_for organisation organization current_employer',
    askedWith: 'work job career office',
    labels: { en: 'Employer', de: 'Arbeitgeber', es: 'Empresa', fr: 'Employeur', pt: 'Empregador', it: 'Datore di lavoro', nl: 'Werkgever', zh: '雇主', ja: '勤務先' },
  },
  job_title: {
    values: 'one', category: 'work', shape: 'text', traits: ['lasting', 'work', 'identity', 'title', 'denies'],
    synonyms: 'job occupation profession works_as work', askedWith: 'work job career',
    labels: { en: 'Job title', de: 'Beruf', es: 'Profesión', fr: 'Métier', pt: 'Profissão', it: 'Professione', nl: 'Beroep', zh: '职业', ja: '職業' },
  },
  manager_name: {
    values: 'one', category: 'work', shape: 'name', namesSomebody: true, traits: ['close'],
    synonyms: 'manager boss line_manager supervisor boss_name',
    labels: { en: 'Manager', de: 'Vorgesetzter' },
  },
  industry: {
    values: 'one', category: 'work', shape: 'text', synonyms: 'sector field',
    labels: { en: 'Industry', de: 'Branche' },
  },
  salary: {
    values: 'one', category: 'work', shape: 'number', traits: ['amount'], synonyms: 'income pay wage earnings',
    labels: { en: 'Salary', de: 'Gehalt', es: 'Sueldo', fr: 'Salaire', pt: 'Salário', it: 'Stipendio', nl: 'Salaris', zh: '工资', ja: '給料' },
  },
  working_hours: {
    values: 'one', category: 'work', shape: 'text', traits: ['work', 'habit'], synonyms: 'work_hours work_schedule shift shifts',
    askedWith: 'schedule morning routine',
    labels: { en: 'Working hours', de: 'Arbeitszeit' },
  },
  school: {
    values: 'one', category: 'personal', shape: 'name', traits: ['place', 'work', 'quits'],
    synonyms: 'university college studies_at alma_mater', askedWith: 'study education',
    labels: { en: 'School', de: 'Schule', es: 'Escuela', fr: 'École', pt: 'Escola', it: 'Scuola', nl: 'School', zh: '学校', ja: '学校' },
  },
  degree: {
    values: 'many', category: 'personal', shape: 'text', synonyms: 'education qualification', askedWith: 'study education',
    labels: { en: 'Degree', de: 'Abschluss' },
  },
  relationship_status: {
    values: 'one', category: 'personal', shape: 'text', traits: ['denies'], synonyms: 'marital_status',
    askedWith: 'married wedding single',
    labels: { en: 'Relationship status', de: 'Familienstand' },
  },
  partner_name: {
    values: 'one', category: 'personal', shape: 'name', namesSomebody: true, traits: ['person', 'close', 'parted'],
    synonyms: 'partner spouse spouse_name wife wife_name husband husband_name girlfriend boyfriend girlfriend_name boyfriend_name fiance fiancee',
    askedWith: 'married wedding anniversary',
    labels: { en: 'Partner', de: 'Partner', es: 'Pareja', fr: 'Partenaire', pt: 'Parceiro', it: 'Partner', nl: 'Partner', zh: '伴侣', ja: 'パートナー' },
  },
  child_name: {
    values: 'many', category: 'personal', shape: 'name', namesSomebody: true, traits: ['person', 'close', 'several'],
    synonyms: 'child children kids son daughter son_name daughter_name',
    labels: { en: 'Child', de: 'Kind', es: 'Hijo', fr: 'Enfant', pt: 'Filho', it: 'Figlio', nl: 'Kind', zh: '孩子', ja: '子ども' },
  },
  sibling_name: {
    values: 'many', category: 'personal', shape: 'name', namesSomebody: true,
    synonyms: 'sister brother sister_name brother_name sibling',
    labels: { en: 'Sibling', de: 'Geschwister' },
  },
  mother_name: {
    values: 'one', category: 'personal', shape: 'name', namesSomebody: true, synonyms: 'mother mum mom',
    labels: { en: 'Mother' },
  },
  father_name: {
    values: 'one', category: 'personal', shape: 'name', namesSomebody: true, synonyms: 'father dad',
    labels: { en: 'Father' },
  },
  pet_name: {
    values: 'many', category: 'personal', shape: 'name', namesSomebody: true,
    traits: ['person', 'close', 'several', 'parted', 'animal'], synonyms: 'dog_name cat_name pet dog cat',
    labels: { en: 'Pet', de: 'Haustier', es: 'Mascota', fr: 'Animal', pt: 'Animal de estimação', it: 'Animale', nl: 'Huisdier', zh: '宠物', ja: 'ペット' },
  },
  pet_species: {
    values: 'many', category: 'personal', shape: 'text', synonyms: 'pet_breed dog_breed breed',
    labels: { en: 'Kind of pet' },
  },
  phone_model: {
    values: 'one', category: 'personal', shape: 'text', traits: ['disposed', 'listed'], synonyms: 'mobile_phone smartphone',
    labels: { en: 'Phone model' },
  },
  car: {
    values: 'one', category: 'personal', shape: 'text', traits: ['disposed'], synonyms: 'vehicle car_model',
    askedWith: 'commute transport drive',
    labels: { en: 'Car', de: 'Auto' },
  },
  bike: {
    values: 'one', category: 'personal', shape: 'text', traits: ['disposed'], synonyms: 'bicycle', askedWith: 'commute transport',
    labels: { en: 'Bike', de: 'Fahrrad' },
  },
  instrument: {
    values: 'many', category: 'personal', shape: 'text', traits: ['dropped'], synonyms: 'plays_instrument musical_instrument',
    labels: { en: 'Instrument' },
  },
  diet: {
    values: 'one', category: 'health', shape: 'text', traits: ['omits', 'always', 'denies'],
    synonyms: 'dietary_preference dietary_restriction eats',
    askedWith: 'eat food cook dinner lunch breakfast restaurant meal recipe vegetarian vegan',
    labels: { en: 'Diet', de: 'Ernährung', es: 'Dieta', fr: 'Régime', pt: 'Dieta', it: 'Dieta', nl: 'Dieet', zh: '饮食', ja: '食生活' },
  },
  allergy: {
    values: 'many', category: 'health', shape: 'text', traits: ['allergen', 'drug', 'vital'],
    synonyms: 'allergies allergic_to intolerance food_allergy food_intolerance drug_intolerance drug_allergy',
    askedWith: 'eat food cook dinner lunch breakfast restaurant meal recipe allergic health',
    labels: { en: 'Allergy', de: 'Allergie', es: 'Alergia', fr: 'Allergie', pt: 'Alergia', it: 'Allergia', nl: 'Allergie', zh: '过敏', ja: 'アレルギー' },
  },
  medical_condition: {
    values: 'many', category: 'health', shape: 'text', traits: ['condition', 'vital', 'denies'],
    synonyms: 'illness diagnosis health_condition disease injury', askedWith: 'health doctor diagnosis illness',
    labels: { en: 'Medical condition', de: 'Erkrankung' },
  },
  medication: {
    values: 'many', category: 'health', shape: 'text', traits: ['drug', 'vital', 'denies'],
    synonyms: 'medicine medications takes_medication drug painkiller', askedWith: 'health doctor pill medicine',
    labels: { en: 'Medication', de: 'Medikament' },
  },
  blood_type: {
    values: 'one', category: 'health', shape: 'text', traits: ['vital'], synonyms: 'blood_group',
    labels: { en: 'Blood type', de: 'Blutgruppe' },
  },
  language: {
    values: 'many', category: 'personal', shape: 'text', traits: ['language'],
    synonyms: 'languages speaks native_language mother_tongue',
    labels: { en: 'Language', de: 'Sprache', es: 'Idioma', fr: 'Langue', pt: 'Idioma', it: 'Lingua', nl: 'Taal', zh: '语言', ja: '言語' },
  },
  nationality: {
    values: 'many', category: 'personal', shape: 'text', synonyms: 'citizenship',
    labels: { en: 'Nationality' },
  },
  email: {
    values: 'one', category: 'personal', shape: 'email', synonyms: 'email_address mail e_mail', askedWith: 'contact reach',
    labels: { en: 'E-mail' },
  },
  phone_number: {
    values: 'one', category: 'personal', shape: 'phone', synonyms: 'phone telephone mobile_number telephone_number',
    askedWith: 'contact reach telephone',
    labels: { en: 'Phone number', de: 'Telefonnummer' },
  },
  rent: {
    values: 'one', category: 'personal', shape: 'number', traits: ['amount'], synonyms: 'monthly_rent',
    labels: { en: 'Rent', de: 'Miete' },
  },
  budget: {
    values: 'one', category: 'general', shape: 'number', traits: ['amount'], synonyms: 'price_limit spending_limit',
    labels: { en: 'Budget' },
  },
  hobby: {
    values: 'many', category: 'preference', shape: 'text', traits: ['dropped'], synonyms: 'hobbies pastime interest interests',
    labels: { en: 'Hobby', de: 'Hobby', es: 'Afición', fr: 'Loisir', pt: 'Hobby', it: 'Hobby', nl: 'Hobby', zh: '爱好', ja: '趣味' },
  },
  sport: {
    values: 'many', category: 'preference', shape: 'text', traits: ['dropped'], synonyms: 'sports workout',
    labels: { en: 'Sport', de: 'Sport' },
  },
  favourite_food: {
    values: 'one', category: 'preference', shape: 'text', synonyms: 'favorite_food favourite_dish favorite_dish',
    askedWith: 'eat food dinner restaurant meal',
    labels: { en: 'Favourite food', de: 'Lieblingsessen', es: 'Comida favorita', fr: 'Plat préféré', pt: 'Comida favorita', it: 'Cibo preferito', nl: 'Lievelingseten', zh: '最喜欢的食物', ja: '好きな食べ物' },
  },
  favourite_music: {
    values: 'one', category: 'preference', shape: 'text',
    synonyms: 'favorite_music favourite_band favorite_band favourite_song favorite_artist',
    labels: { en: 'Favourite music' },
  },
  favourite_book: {
    values: 'one', category: 'preference', shape: 'text', synonyms: 'favorite_book favourite_author favorite_author',
    labels: { en: 'Favourite book' },
  },
  favourite_film: {
    values: 'one', category: 'preference', shape: 'text', synonyms: 'favorite_film favourite_movie favorite_movie',
    labels: { en: 'Favourite film' },
  },
  favourite_colour: {
    values: 'one', category: 'preference', shape: 'text', synonyms: 'favorite_color favourite_color favorite_colour',
    labels: { en: 'Favourite colour', de: 'Lieblingsfarbe' },
  },
  favourite_place: {
    values: 'one', category: 'preference', shape: 'text', synonyms: 'favorite_place',
    labels: { en: 'Favourite place' },
  },
  answer_length: {
    values: 'one', category: 'preference', shape: 'text', traits: ['answer', 'wish', 'omits'],
    synonyms: 'response_length reply_length',
    labels: { en: 'Answer length' },
  },
  answer_tone: {
    values: 'many', category: 'preference', shape: 'text', traits: ['answer', 'wish', 'omits'],
    synonyms: 'response_tone tone reply_tone communication_style',
    labels: { en: 'Answer tone' },
  },
  answer_format: {
    values: 'many', category: 'preference', shape: 'text', traits: ['answer', 'wish', 'omits', 'layout'],
    synonyms: 'response_format reply_format formatting units',
    labels: { en: 'Answer format' },
  },
  answer_language: {
    values: 'one', category: 'preference', shape: 'text', traits: ['answer', 'wish', 'omits'],
    synonyms: 'response_language reply_language preferred_language',
    labels: { en: 'Answer language' },
  },
} as const;

/** Attributes of statements that fade or end soon, used only to compare statements. */
// oxfmt-ignore
const PASSING = {
  likes: {
    values: 'many', category: 'preference', shape: 'text', synonyms: 'loves enjoys fan_of like',
    labels: { en: 'Likes', de: 'Mag', es: 'Le gusta', fr: 'Aime', pt: 'Gosta de', it: 'Ama', nl: 'Houdt van' },
  },
  dislikes: {
    values: 'many', category: 'preference', shape: 'text', synonyms: 'hates dislike avoids',
    labels: { en: 'Dislikes', de: 'Mag nicht' },
  },
  preference: {
    values: 'many', category: 'preference', shape: 'text', synonyms: 'prefers',
    labels: { en: 'Preference' },
  },
  goal: {
    values: 'many', category: 'general', shape: 'text', synonyms: 'wants aim ambition objective',
    labels: { en: 'Goal', de: 'Ziel', es: 'Meta', fr: 'Objectif', pt: 'Meta', it: 'Obiettivo', nl: 'Doel' },
  },
  decision: {
    values: 'many', category: 'general', shape: 'text', synonyms: 'decided choice',
    labels: { en: 'Decision' },
  },
  plan: {
    values: 'many', category: 'general', shape: 'text', synonyms: 'plans intention todo task',
    labels: { en: 'Plan' },
  },
  project: {
    values: 'many', category: 'work', shape: 'text', synonyms: 'working_on',
    labels: { en: 'Project', de: 'Projekt' },
  },
  deadline: {
    values: 'many', category: 'general', shape: 'date', traits: ['event'], synonyms: 'due_date due',
    labels: { en: 'Deadline', de: 'Frist' },
  },
  appointment: {
    values: 'many', category: 'general', shape: 'text', traits: ['event'], synonyms: 'meeting',
    labels: { en: 'Appointment', de: 'Termin' },
  },
  travel_destination: {
    values: 'many', category: 'general', shape: 'name', traits: ['town'], synonyms: 'trip destination travel trip_destination',
    labels: { en: 'Travel destination', de: 'Reiseziel' },
  },
  travel_date: {
    values: 'many', category: 'general', shape: 'date', synonyms: 'trip_date',
    labels: { en: 'Travel date', de: 'Reisedatum' },
  },
  friend: {
    values: 'many', category: 'personal', shape: 'name', namesSomebody: true, synonyms: 'friend_name friends',
    labels: { en: 'Friend' },
  },
  colleague: {
    values: 'many', category: 'work', shape: 'name', namesSomebody: true, synonyms: 'colleague_name coworker team_member',
    labels: { en: 'Colleague' },
  },
  owns: {
    values: 'many', category: 'personal', shape: 'text', synonyms: 'has possession',
    labels: { en: 'Owns' },
  },
  skill: {
    values: 'many', category: 'personal', shape: 'text', synonyms: 'skills ability',
    labels: { en: 'Skill' },
  },
  habit: {
    values: 'many', category: 'personal', shape: 'text', synonyms: 'routine',
    labels: { en: 'Habit' },
  },
} as const;

export const UNKNOWN_ATTRIBUTE: Attribute = {
  values: 'many',
  category: 'general',
  shape: 'text',
  permanent: false,
  namesSomebody: false,
  traits: [],
  labels: { en: '' },
  synonyms: [],
  askedWith: [],
};

/** Lists in the language packs with phrases that end a value. `<>` stands for the value. */
export const ENDING_LISTS = ['parted', 'disposed', 'quits', 'dropped', 'leaves', 'denies'] as const;
/** Lists in the language packs with words that are values. An enumeration is split into values only if its words are in the list. */
export const VALUE_LISTS = ['allergen', 'drug', 'language', 'condition'] as const;

const TRAIT_NAMES = [
  'own', // The value is a name of the subject.
  'identity', // The value identifies the user. A request to forget usually includes it only if the request names it.
  'vital', // A statement changes only by words that concern it.
  'person', // The value is a name, which stays valid when the rest of its sentence ends a state.
  'several', // A list of names is one value for each name.
  'close', // The value names somebody in the user's life.
  'place', // The value is a town or a firm, which the user may also only visit.
  'town', // The value is a town or a country.
  'lasting', // Words about the present moment ("today I am in Graz") state no value.
  'work', // The value ends with retirement.
  'event', // The value is a day, and the words around it say of which event.
  'amount', // The value is a sum of money.
  'exact', // An approximate number ("nearly 40") is no value.
  'title', // The value is an occupation.
  'firm', // The value is the firm that employs the subject.
  'animal', // The value is the name of an animal.
  'wish', // The value is a wish to the agent, so that the statement is a preference.
  'answer', // The value is a wish for the answers of the agent.
  'layout', // The value may be a layout of answers. Two layouts exclude each other.
  'omits', // The value may be an omission: "no meat".
  'always', // Words about some days or one meal ("vegetarian on Mondays") state no value.
  'habit', // The value is a habit and not a state.
  'inPast', // Words in the past tense state a value that is still true: "was born".
  'listed', // A value that the reading layers find must be in the pack's list with the name of the attribute.
] as const;

export type TraitOrList = (typeof TRAIT_NAMES | typeof ENDING_LISTS | typeof VALUE_LISTS)[number];

export type AttributeName = keyof typeof LASTING | keyof typeof PASSING;

export const TRAITS: readonly TraitOrList[] = [...TRAIT_NAMES, ...ENDING_LISTS, ...VALUE_LISTS];

function attributesOf(rows: Record<string, Row>, permanent: boolean): [string, Attribute][] {
  return Object.entries(rows).map(([name, { namesSomebody = false, traits = [], synonyms, askedWith, ...row }]) => {
    const lists = { synonyms: synonyms?.split(' ') ?? [], askedWith: askedWith?.split(' ') ?? [] };
    return [name, { ...row, ...lists, permanent, namesSomebody, traits }];
  });
}

const OWN: ReadonlyMap<string, Attribute> = new Map([...attributesOf(LASTING, true), ...attributesOf(PASSING, false)]);

/** Varve's own attributes. An application adds others with `createVarve({ attributes })`. */
export const ATTRIBUTES: { readonly [attribute: string]: Attribute } = Object.fromEntries(OWN);

/** The language packs' patterns fill only these attributes, and none of an application's. */
const OWN_TABLE: Pick<AttributeTable, 'policyOf' | 'names'> = {
  policyOf: (attribute) => OWN.get(attribute) ?? UNKNOWN_ATTRIBUTE,
  names: () => [...OWN.keys()],
};

export function hasTrait(
  attribute: string | null,
  trait: TraitOrList,
  { policyOf }: Pick<AttributeTable, 'policyOf'> = OWN_TABLE,
): boolean {
  return policyOf(attribute ?? '').traits.includes(trait);
}

export function attributesWith(trait: TraitOrList, table: typeof OWN_TABLE = OWN_TABLE): string[] {
  return table.names().filter((name) => hasTrait(name, trait, table));
}

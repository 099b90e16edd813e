/** The categories of permanent facts. */
export const FACT_CATEGORIES = ['location', 'personal', 'preference', 'work', 'health', 'general'] as const;
export type FactCategory = (typeof FACT_CATEGORIES)[number];

/** The kind of an attribute's values. It determines how two values are compared and which texts are refused. */
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
  /**
   * Whether the value names somebody else (a partner, a child, a pet). The statement's subject is the person who has this partner, child or
   * pet.
   */
  namesSomebody: boolean;
  /** Special properties of the attribute, mostly for the local reader. */
  traits: readonly TraitOrList[];
  /** The name shown to people: "Home city". */
  labels: ByLanguage<string>;
  /** Other names for the attribute, in snake_case. Readers use them too. */
  synonyms: readonly string[];
  /**
   * Words in questions about the attribute, besides its names: "Where do I live?" asks for `home_city`. A few general English words
   * suffice, because the vector search finds other wordings.
   */
  askedWith: readonly string[];
}

/**
 * An application's attribute. Fields that are absent come from Varve's attribute with the same name, or else from the policy for unknown
 * attributes.
 */
export type AttributeInput = Partial<Attribute>;

/** The attributes of a store: Varve's and the application's, with their synonyms. */
export interface AttributeTable {
  /** Returns an attribute's policy. An unknown attribute allows many values at once. */
  policyOf(attribute: string): Attribute;
  /** Converts a reader's name to the table's, in snake_case (`city` → `home_city`). Returns null if nothing is left after normalisation. */
  resolve(name: string | null | undefined): string | null;
  isKnown(attribute: string): boolean;
  names(): string[];
}

// Each attribute has two lines. The first one contains, in this order: whether it has one value or many; its category and shape; `somebody`
// if the value names a relative, an acquaintance or a pet of the subject; traits in brackets; synonyms after `|`; words of questions after
// `?`. The second line contains the labels, English first, each after the code of its language.

/** Attributes of permanent facts about a person. Such a fact is true until it changes, and every prompt has a line for it. */
const LASTING = {
  name: `one personal name [person vital own identity denies] | full_name first_name own_name user_name
    en Name, de Name, es Nombre, fr Nom, pt Nome, it Nome, nl Naam, zh 姓名, ja 名前`,
  preferred_name: `one personal name [person vital own wish denies] | nickname called goes_by
    en Preferred name, de Rufname, es Apodo, fr Surnom, pt Apelido, it Soprannome, nl Roepnaam, zh 称呼, ja 呼び名`,
  pronouns: `one personal text [vital]
    en Pronouns`,
  birthday: `one personal date [vital inPast] | birth_date date_of_birth born_on ? born birth old
    en Birthday, de Geburtstag, es Cumpleaños, fr Anniversaire, pt Aniversário, it Compleanno, nl Verjaardag, zh 生日, ja 誕生日`,
  age: `one personal number [exact] | years_old ? old born
    en Age, de Alter, es Edad, fr Âge, pt Idade, it Età, nl Leeftijd, zh 年龄, ja 年齢`,
  home_city: `one location name [place lasting town identity leaves denies] | city lives_in residence current_city location home_town_now place_of_residence home ? live living reside based home town neighborhood apartment flat house
    en Home city, de Wohnort, es Ciudad, fr Ville, pt Cidade, it Città, nl Woonplaats, zh 居住城市, ja 居住地`,
  home_country: `one location name [place lasting town leaves denies] | country country_of_residence ? live living reside based
    en Home country, de Wohnland, es País, fr Pays, pt País, it Paese, nl Land, zh 居住国家, ja 居住国`,
  hometown: `one location name [place town denies] | birthplace grew_up_in from origin
    en Hometown, de Heimatort, es Ciudad natal, fr Ville d’origine, pt Terra natal, it Città natale, nl Geboorteplaats, zh 家乡, ja 出身地`,
  address: `one location text [place leaves denies] | home_address street_address ? live living home street
    en Address, de Adresse, es Dirección, fr Adresse, pt Endereço, it Indirizzo, nl Adres, zh 地址, ja 住所`,
  timezone: `one location text | time_zone
    en Time zone, de Zeitzone`,
  employer: `one work name [place lasting work quits identity firm] | company workplace works_at works_for organisation organization current_employer ? work job career office
    en Employer, de Arbeitgeber, es Empresa, fr Employeur, pt Empregador, it Datore di lavoro, nl Werkgever, zh 雇主, ja 勤務先`,
  job_title: `one work text [lasting work identity title denies] | job occupation profession works_as work ? work job career
    en Job title, de Beruf, es Profesión, fr Métier, pt Profissão, it Professione, nl Beroep, zh 职业, ja 職業`,
  manager_name: `one work name somebody [close] | manager boss line_manager supervisor boss_name
    en Manager, de Vorgesetzter`,
  industry: `one work text | sector field
    en Industry, de Branche`,
  salary: `one work number [amount] | income pay wage earnings
    en Salary, de Gehalt, es Sueldo, fr Salaire, pt Salário, it Stipendio, nl Salaris, zh 工资, ja 給料`,
  working_hours: `one work text [work habit] | work_hours work_schedule shift shifts ? schedule morning routine
    en Working hours, de Arbeitszeit`,
  school: `one personal name [place work quits] | university college studies_at alma_mater ? study education
    en School, de Schule, es Escuela, fr École, pt Escola, it Scuola, nl School, zh 学校, ja 学校`,
  degree: `many personal text | education qualification ? study education
    en Degree, de Abschluss`,
  relationship_status: `one personal text [denies] | marital_status ? married wedding single
    en Relationship status, de Familienstand`,
  partner_name: `one personal name somebody [person close parted] | partner spouse spouse_name wife wife_name husband husband_name girlfriend boyfriend girlfriend_name boyfriend_name fiance fiancee ? married wedding anniversary
    en Partner, de Partner, es Pareja, fr Partenaire, pt Parceiro, it Partner, nl Partner, zh 伴侣, ja パートナー`,
  child_name: `many personal name somebody [person close several] | child children kids son daughter son_name daughter_name
    en Child, de Kind, es Hijo, fr Enfant, pt Filho, it Figlio, nl Kind, zh 孩子, ja 子ども`,
  sibling_name: `many personal name somebody | sister brother sister_name brother_name sibling
    en Sibling, de Geschwister`,
  mother_name: `one personal name somebody | mother mum mom
    en Mother`,
  father_name: `one personal name somebody | father dad
    en Father`,
  pet_name: `many personal name somebody [person close several parted animal] | dog_name cat_name pet dog cat
    en Pet, de Haustier, es Mascota, fr Animal, pt Animal de estimação, it Animale, nl Huisdier, zh 宠物, ja ペット`,
  pet_species: `many personal text | pet_breed dog_breed breed
    en Kind of pet`,
  phone_model: `one personal text [disposed listed] | mobile_phone smartphone
    en Phone model`,
  car: `one personal text [disposed] | vehicle car_model ? commute transport drive
    en Car, de Auto`,
  bike: `one personal text [disposed] | bicycle ? commute transport
    en Bike, de Fahrrad`,
  instrument: `many personal text [dropped] | plays_instrument musical_instrument
    en Instrument`,
  diet: `one health text [omits always denies] | dietary_preference dietary_restriction eats ? eat food cook dinner lunch breakfast restaurant meal recipe vegetarian vegan
    en Diet, de Ernährung, es Dieta, fr Régime, pt Dieta, it Dieta, nl Dieet, zh 饮食, ja 食生活`,
  allergy: `many health text [allergen drug vital] | allergies allergic_to intolerance food_allergy food_intolerance drug_intolerance drug_allergy ? eat food cook dinner lunch breakfast restaurant meal recipe allergic health
    en Allergy, de Allergie, es Alergia, fr Allergie, pt Alergia, it Allergia, nl Allergie, zh 过敏, ja アレルギー`,
  medical_condition: `many health text [condition vital denies] | illness diagnosis health_condition disease injury ? health doctor diagnosis illness
    en Medical condition, de Erkrankung`,
  medication: `many health text [drug vital denies] | medicine medications takes_medication drug painkiller ? health doctor pill medicine
    en Medication, de Medikament`,
  blood_type: `one health text [vital] | blood_group
    en Blood type, de Blutgruppe`,
  language: `many personal text [language] | languages speaks native_language mother_tongue
    en Language, de Sprache, es Idioma, fr Langue, pt Idioma, it Lingua, nl Taal, zh 语言, ja 言語`,
  nationality: `many personal text | citizenship
    en Nationality`,
  email: `one personal email | email_address mail e_mail ? contact reach
    en E-mail`,
  phone_number: `one personal phone | phone telephone mobile_number telephone_number ? contact reach telephone
    en Phone number, de Telefonnummer`,
  rent: `one personal number [amount] | monthly_rent
    en Rent, de Miete`,
  budget: `one general number [amount] | price_limit spending_limit
    en Budget`,
  hobby: `many preference text [dropped] | hobbies pastime interest interests
    en Hobby, de Hobby, es Afición, fr Loisir, pt Hobby, it Hobby, nl Hobby, zh 爱好, ja 趣味`,
  sport: `many preference text [dropped] | sports workout
    en Sport, de Sport`,
  favourite_food: `one preference text | favorite_food favourite_dish favorite_dish ? eat food dinner restaurant meal
    en Favourite food, de Lieblingsessen, es Comida favorita, fr Plat préféré, pt Comida favorita, it Cibo preferito, nl Lievelingseten, zh 最喜欢的食物, ja 好きな食べ物`,
  favourite_music: `one preference text | favorite_music favourite_band favorite_band favourite_song favorite_artist
    en Favourite music`,
  favourite_book: `one preference text | favorite_book favourite_author favorite_author
    en Favourite book`,
  favourite_film: `one preference text | favorite_film favourite_movie favorite_movie
    en Favourite film`,
  favourite_colour: `one preference text | favorite_color favourite_color favorite_colour
    en Favourite colour, de Lieblingsfarbe`,
  favourite_place: `one preference text | favorite_place
    en Favourite place`,
  answer_length: `one preference text [answer wish omits] | response_length reply_length
    en Answer length`,
  answer_tone: `many preference text [answer wish omits] | response_tone tone reply_tone communication_style
    en Answer tone`,
  answer_format: `many preference text [answer wish omits layout] | response_format reply_format formatting units
    en Answer format`,
  answer_language: `one preference text [answer wish omits] | response_language reply_language preferred_language
    en Answer language`,
};

/** Attributes of other statements, which fade or end soon. They are only used to compare statements. */
const PASSING = {
  likes: `many preference text | loves enjoys fan_of like
    en Likes, de Mag, es Le gusta, fr Aime, pt Gosta de, it Ama, nl Houdt van`,
  dislikes: `many preference text | hates dislike avoids
    en Dislikes, de Mag nicht`,
  preference: `many preference text | prefers
    en Preference`,
  goal: `many general text | wants aim ambition objective
    en Goal, de Ziel, es Meta, fr Objectif, pt Meta, it Obiettivo, nl Doel`,
  decision: `many general text | decided choice
    en Decision`,
  plan: `many general text | plans intention todo task
    en Plan`,
  project: `many work text | working_on
    en Project, de Projekt`,
  deadline: `many general date [event] | due_date due
    en Deadline, de Frist`,
  appointment: `many general text [event] | meeting
    en Appointment, de Termin`,
  travel_destination: `many general name [town] | trip destination travel trip_destination
    en Travel destination, de Reiseziel`,
  travel_date: `many general date | trip_date
    en Travel date, de Reisedatum`,
  friend: `many personal name somebody | friend_name friends
    en Friend`,
  colleague: `many work name somebody | colleague_name coworker team_member
    en Colleague`,
  owns: `many personal text | has possession
    en Owns`,
  skill: `many personal text | skills ability
    en Skill`,
  habit: `many personal text | routine
    en Habit`,
};

/** The policy for unknown attributes: many values, none of which replaces another. */
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

/** A trait, or one of the language packs' lists that apply to the attribute's values. */
export type TraitOrList = (typeof TRAIT_NAMES | typeof ENDING_LISTS | typeof VALUE_LISTS)[number];

export type AttributeName = keyof typeof LASTING | keyof typeof PASSING;

export const TRAITS: readonly TraitOrList[] = [...TRAIT_NAMES, ...ENDING_LISTS, ...VALUE_LISTS];

const TRAIT = `(?:${TRAITS.join('|')})`;
const ROW = new RegExp(
  `^(?<values>one|many) (?<category>${FACT_CATEGORIES.join('|')}) (?<shape>${VALUE_SHAPES.join('|')})(?<somebody> somebody)?` +
    `(?: \\[(?<traits>${TRAIT}(?: ${TRAIT})*)\\])?(?: \\| (?<synonyms>\\w+(?: \\w+)*))?(?: \\? (?<askedWith>\\w+(?: \\w+)*))?` +
    '\\n {4}(?<labels>en [^,]+(?:, [a-z]{2} [^,]+)*)$',
);

/** Reads a row of the table. Throws if a word in it is misspelt or the English label is missing. */
export function readRow(row: string, permanent: boolean): Attribute {
  const { groups } = ROW.exec(row) ?? {};
  if (groups === undefined)
    throw new Error(`This row of the table of attributes has another form than the rest:\n${row}`);
  const wordsOf = (group: string): string[] => groups[group]?.split(' ') ?? [];
  const labels = groups['labels']?.split(', ').map((label) => [label.slice(0, 2), label.slice(3)]) ?? [];
  return {
    values: groups['values'] as Attribute['values'],
    category: groups['category'] as FactCategory,
    shape: groups['shape'] as ValueShape,
    permanent,
    namesSomebody: groups['somebody'] !== undefined,
    traits: wordsOf('traits') as TraitOrList[],
    labels: Object.fromEntries(labels) as ByLanguage<string>,
    synonyms: wordsOf('synonyms'),
    askedWith: wordsOf('askedWith'),
  };
}

const OWN: ReadonlyMap<string, Attribute> = new Map([
  ...Object.entries(LASTING).map(([name, row]) => [name, readRow(row, true)] as const),
  ...Object.entries(PASSING).map(([name, row]) => [name, readRow(row, false)] as const),
]);

/** The attributes that Varve knows. An application adds its own with `createVarve({ attributes })`. */
export const ATTRIBUTES: { readonly [attribute: string]: Attribute } = Object.fromEntries(OWN);

/** Varve's own attributes without those of an application. Only these are filled by the patterns of the language packs. */
const OWN_TABLE: Pick<AttributeTable, 'policyOf' | 'names'> = {
  policyOf: (attribute) => OWN.get(attribute) ?? UNKNOWN_ATTRIBUTE,
  names: () => [...OWN.keys()],
};

/** Checks whether an attribute has a trait, or whether a list in `ENDING_LISTS` or `VALUE_LISTS` applies to its values. */
export function hasTrait(
  attribute: string | null,
  trait: TraitOrList,
  { policyOf }: Pick<AttributeTable, 'policyOf'> = OWN_TABLE,
): boolean {
  return policyOf(attribute ?? '').traits.includes(trait);
}

/** Returns all attributes with a trait. */
export function attributesWith(trait: TraitOrList, table: typeof OWN_TABLE = OWN_TABLE): string[] {
  return table.names().filter((name) => hasTrait(name, trait, table));
}

/** The categories of permanent facts. */
export const FACT_CATEGORIES = ['location', 'personal', 'preference', 'work', 'health', 'general'] as const;
export type FactCategory = (typeof FACT_CATEGORIES)[number];

/** The shape of an attribute's values, which decides how two values are compared and which texts are refused as values. */
export const VALUE_SHAPES = ['text', 'name', 'date', 'number', 'email', 'phone'] as const;
export type ValueShape = (typeof VALUE_SHAPES)[number];

/** Words by language: `en`, `de`, `es` …; English is the fallback. */
export type ByLanguage<Words> = { readonly en: Words } & { readonly [language: string]: Words };

/** The policy of an attribute for its statements. */
export interface Attribute {
  /** `one`: a new value replaces the old one. `many`: several values hold at the same time. */
  values: 'one' | 'many';
  category: FactCategory;
  shape: ValueShape;
  /** Whether a statement about the user with this attribute is a permanent fact, which never fades and is in every prompt. */
  permanent: boolean;
  /**
   * Whether the value names somebody else (a partner, a child, a pet). The subject of the statement is then the person
   * whose partner, child or pet has that name.
   */
  namesSomebody: boolean;
  /** The name that people see: "Home city". */
  labels: ByLanguage<string>;
  /** Other names that readers use for the attribute, in snake_case. */
  synonyms: readonly string[];
  /**
   * Words by which questions ask for the attribute, besides its names: "Where do I live?" asks for `home_city`. A few general English words
   * are enough, because the vector search finds other wordings.
   */
  askedWith: readonly string[];
}

/**
 * An attribute of the application. Absent fields have the values of Varve's attribute with the same
 * name, or else those of an unknown attribute.
 */
export type AttributeInput = Partial<Attribute>;

/** The table that a store works with: Varve's attributes and the application's, with their synonyms. */
export interface AttributeTable {
  /** The policy of an attribute. An unknown attribute has many values, which do not replace each other. */
  policyOf(attribute: string): Attribute;
  /** The table's name for a reader's name (`city` → `home_city`), in snake_case; null when the name is empty after normalisation. */
  resolve(name: string | null | undefined): string | null;
  isKnown(attribute: string): boolean;
  names(): string[];
}

// Each attribute has two lines. The first line has its name, whether it has one value or many, its category and shape, `somebody` if the
// value names a relative, an acquaintance or a pet of the subject, its traits for the local reader in brackets, its synonyms after `|`, and
// words of questions after `?`. The second line has its labels in the languages of LABEL_LANGUAGES.
const LABEL_LANGUAGES = ['en', 'de', 'es', 'fr', 'pt', 'it', 'nl', 'zh', 'ja'] as const;

/** The attributes of permanent facts about a person. Such a fact holds until it changes, and every prompt has a line for it. */
const LASTING = `
  name: one personal name [person] | full_name first_name own_name user_name
    Name, Name, Nombre, Nom, Nome, Nome, Naam, 姓名, 名前
  preferred_name: one personal name [person] | nickname called goes_by
    Preferred name, Rufname, Apodo, Surnom, Apelido, Soprannome, Roepnaam, 称呼, 呼び名
  pronouns: one personal text
    Pronouns
  birthday: one personal date | birth_date date_of_birth born_on ? born birth old
    Birthday, Geburtstag, Cumpleaños, Anniversaire, Aniversário, Compleanno, Verjaardag, 生日, 誕生日
  age: one personal number | years_old ? old born
    Age, Alter, Edad, Âge, Idade, Età, Leeftijd, 年龄, 年齢
  home_city: one location name [place lasting town] | city lives_in residence current_city location home_town_now place_of_residence home ? live living reside based home town neighborhood apartment flat house
    Home city, Wohnort, Ciudad, Ville, Cidade, Città, Woonplaats, 居住城市, 居住地
  home_country: one location name [place lasting town] | country country_of_residence ? live living reside based
    Home country, Wohnland, País, Pays, País, Paese, Land, 居住国家, 居住国
  hometown: one location name [place town] | birthplace grew_up_in from origin
    Hometown, Heimatort, Ciudad natal, Ville d’origine, Terra natal, Città natale, Geboorteplaats, 家乡, 出身地
  address: one location text [place] | home_address street_address ? live living home street
    Address, Adresse, Dirección, Adresse, Endereço, Indirizzo, Adres, 地址, 住所
  timezone: one location text | time_zone
    Time zone, Zeitzone
  employer: one work name [place lasting work quits] | company workplace works_at works_for organisation organization current_employer ? work job career office
    Employer, Arbeitgeber, Empresa, Employeur, Empregador, Datore di lavoro, Werkgever, 雇主, 勤務先
  job_title: one work text [lasting work] | job occupation profession works_as work ? work job career
    Job title, Beruf, Profesión, Métier, Profissão, Professione, Beroep, 职业, 職業
  manager_name: one work name somebody [close] | manager boss line_manager supervisor boss_name
    Manager, Vorgesetzter
  industry: one work text | sector field
    Industry, Branche
  salary: one work number | income pay wage earnings
    Salary, Gehalt, Sueldo, Salaire, Salário, Stipendio, Salaris, 工资, 給料
  working_hours: one work text [work] | work_hours work_schedule shift shifts ? schedule morning routine
    Working hours, Arbeitszeit
  school: one personal name [place work quits] | university college studies_at alma_mater ? study education
    School, Schule, Escuela, École, Escola, Scuola, School, 学校, 学校
  degree: many personal text | education qualification ? study education
    Degree, Abschluss
  relationship_status: one personal text | marital_status ? married wedding single
    Relationship status, Familienstand
  partner_name: one personal name somebody [person close parted] | partner spouse spouse_name wife wife_name husband husband_name girlfriend boyfriend girlfriend_name boyfriend_name fiance fiancee ? married wedding anniversary
    Partner, Partner, Pareja, Partenaire, Parceiro, Partner, Partner, 伴侣, パートナー
  child_name: many personal name somebody [person close several] | child children kids son daughter son_name daughter_name
    Child, Kind, Hijo, Enfant, Filho, Figlio, Kind, 孩子, 子ども
  sibling_name: many personal name somebody | sister brother sister_name brother_name sibling
    Sibling, Geschwister
  mother_name: one personal name somebody | mother mum mom
    Mother
  father_name: one personal name somebody | father dad
    Father
  pet_name: many personal name somebody [person close several parted] | dog_name cat_name pet dog cat
    Pet, Haustier, Mascota, Animal, Animal de estimação, Animale, Huisdier, 宠物, ペット
  pet_species: many personal text | pet_breed dog_breed breed
    Kind of pet
  phone_model: one personal text [disposed] | mobile_phone smartphone
    Phone model
  car: one personal text [disposed] | vehicle car_model ? commute transport drive
    Car, Auto
  bike: one personal text [disposed] | bicycle ? commute transport
    Bike, Fahrrad
  instrument: many personal text | plays_instrument musical_instrument
    Instrument
  diet: one health text | dietary_preference dietary_restriction eats ? eat food cook dinner lunch breakfast restaurant meal recipe vegetarian vegan
    Diet, Ernährung, Dieta, Régime, Dieta, Dieta, Dieet, 饮食, 食生活
  allergy: many health text [allergen drug] | allergies allergic_to intolerance food_allergy food_intolerance drug_intolerance drug_allergy ? eat food cook dinner lunch breakfast restaurant meal recipe allergic health
    Allergy, Allergie, Alergia, Allergie, Alergia, Allergia, Allergie, 过敏, アレルギー
  medical_condition: many health text [condition] | illness diagnosis health_condition disease injury ? health doctor diagnosis illness
    Medical condition, Erkrankung
  medication: many health text [drug] | medicine medications takes_medication drug painkiller ? health doctor pill medicine
    Medication, Medikament
  blood_type: one health text | blood_group
    Blood type, Blutgruppe
  language: many personal text [language] | languages speaks native_language mother_tongue
    Language, Sprache, Idioma, Langue, Idioma, Lingua, Taal, 语言, 言語
  nationality: many personal text | citizenship
    Nationality
  email: one personal email | email_address mail e_mail ? contact reach
    E-mail
  phone_number: one personal phone | phone telephone mobile_number telephone_number ? contact reach telephone
    Phone number, Telefonnummer
  rent: one personal number | monthly_rent
    Rent, Miete
  budget: one general number | price_limit spending_limit
    Budget
  hobby: many preference text | hobbies pastime interest interests
    Hobby, Hobby, Afición, Loisir, Hobby, Hobby, Hobby, 爱好, 趣味
  sport: many preference text | sports workout
    Sport, Sport
  favourite_food: one preference text | favorite_food favourite_dish favorite_dish ? eat food dinner restaurant meal
    Favourite food, Lieblingsessen, Comida favorita, Plat préféré, Comida favorita, Cibo preferito, Lievelingseten, 最喜欢的食物, 好きな食べ物
  favourite_music: one preference text | favorite_music favourite_band favorite_band favourite_song favorite_artist
    Favourite music
  favourite_book: one preference text | favorite_book favourite_author favorite_author
    Favourite book
  favourite_film: one preference text | favorite_film favourite_movie favorite_movie
    Favourite film
  favourite_colour: one preference text | favorite_color favourite_color favorite_colour
    Favourite colour, Lieblingsfarbe
  favourite_place: one preference text | favorite_place
    Favourite place
  answer_length: one preference text | response_length reply_length
    Answer length
  answer_tone: many preference text | response_tone tone reply_tone communication_style
    Answer tone
  answer_format: many preference text | response_format reply_format formatting units
    Answer format
  answer_language: one preference text | response_language reply_language preferred_language
    Answer language`;

/**
 * The attributes of statements that are not permanent facts, because they fade or end soon. These
 * attributes only serve to compare statements.
 */
const PASSING = `
  likes: many preference text | loves enjoys fan_of like
    Likes, Mag, Le gusta, Aime, Gosta de, Ama, Houdt van
  dislikes: many preference text | hates dislike avoids
    Dislikes, Mag nicht
  preference: many preference text | prefers
    Preference
  goal: many general text | wants aim ambition objective
    Goal, Ziel, Meta, Objectif, Meta, Obiettivo, Doel
  decision: many general text | decided choice
    Decision
  plan: many general text | plans intention todo task
    Plan
  project: many work text | working_on
    Project, Projekt
  deadline: many general date [event] | due_date due
    Deadline, Frist
  appointment: many general text [event] | meeting
    Appointment, Termin
  travel_destination: many general name [town] | trip destination travel trip_destination
    Travel destination, Reiseziel
  travel_date: many general date | trip_date
    Travel date, Reisedatum
  friend: many personal name somebody | friend_name friends
    Friend
  colleague: many work name somebody | colleague_name coworker team_member
    Colleague
  owns: many personal text | has possession
    Owns
  skill: many personal text | skills ability
    Skill
  habit: many personal text | routine
    Habit`;

function readTable(table: string, permanent: boolean): [name: string, policy: Attribute][] {
  const rows = table.matchAll(
    /^ {2}(?<name>\w+): (?<values>\w+) (?<category>\w+) (?<shape>\w+)(?<somebody> somebody)?(?: \[.*?\])?(?: \| (?<synonyms>[^?\n]+?))?(?: \? (?<askedWith>.*))?\n {4}(?<labels>.*)$/gm,
  );
  return Array.from(rows, ({ groups = {} }) => {
    const labels = groups['labels']?.split(', ').map((label, index) => [LABEL_LANGUAGES[index], label]) ?? [];
    return [
      groups['name'] ?? '',
      {
        values: groups['values'] as Attribute['values'],
        category: groups['category'] as FactCategory,
        shape: groups['shape'] as ValueShape,
        permanent,
        namesSomebody: groups['somebody'] !== undefined,
        labels: Object.fromEntries(labels) as ByLanguage<string>,
        synonyms: groups['synonyms']?.split(' ') ?? [],
        askedWith: groups['askedWith']?.split(' ') ?? [],
      },
    ];
  });
}

/** The policy of an unknown attribute: it has many values, which do not replace each other. */
export const UNKNOWN_ATTRIBUTE: Attribute = {
  values: 'many',
  category: 'general',
  shape: 'text',
  permanent: false,
  namesSomebody: false,
  labels: { en: '' },
  synonyms: [],
  askedWith: [],
};

/** The attributes that Varve knows. An application adds its own with `createVarve({ attributes })`. */
export const ATTRIBUTES: { readonly [attribute: string]: Attribute } = Object.fromEntries([
  ...readTable(LASTING, true),
  ...readTable(PASSING, false),
]);

/**
 * Properties of an attribute that the local reader uses:
 * - `person`: the value is a name, which stays valid when the rest of its sentence ends a state;
 * - `several`: a list of names is one value for each name;
 * - `close`: the value names somebody in the user's life;
 * - `place`: the value is a town or a firm, which the user may also only visit;
 * - `town`: the value is a town or a country;
 * - `lasting`: words about the present moment ("today I am in Graz") state no value;
 * - `work`: the value ends with retirement;
 * - `event`: the value is a day, and the words around it say of which event.
 */
type Trait = 'person' | 'several' | 'close' | 'place' | 'town' | 'lasting' | 'work' | 'event';

/** The lists of the language packs with phrases that end a value. In these phrases `<>` stands for the value. */
export const ENDING_LISTS = ['parted', 'disposed', 'quits'] as const;
/**
 * The lists of the language packs with words that are values. An enumeration is split into several
 * values only if its words are in the list.
 */
export const VALUE_LISTS = ['allergen', 'drug', 'language', 'condition'] as const;

export type TraitOrList = Trait | (typeof ENDING_LISTS)[number] | (typeof VALUE_LISTS)[number];

/** The traits of each attribute that has any. */
export const TRAITS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Array.from(`${LASTING}${PASSING}`.matchAll(/^ {2}(\w+):[^|?[\n]*\[(.*?)\]/gm), ([, name = '', traits = '']) => [
    name,
    new Set(traits.split(' ')),
  ]),
);

/** The attributes whose values name somebody in the user's life. */
export const NAMED_PEOPLE: readonly string[] = [...TRAITS.keys()].filter((name) => TRAITS.get(name)?.has('close'));

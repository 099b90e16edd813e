/** A statement that is true of the user for a time, and its wordings: the first one, and later ones in other words. */
export interface TraitState {
  /** The day of the first statement. */
  day: number;
  value: string;
  said: readonly [first: string, ...again: string[]];
}

/** A trait of the user’s life that has one value at a time. */
export interface Trait {
  name: string;
  /** The single-valued attribute for the trait, if there is one. */
  key?: string;
  /** A question as the user would ask it, in other words than the statement. */
  asked: readonly string[];
  states: readonly TraitState[];
}

const state = (day: number, value: string, first: string, ...again: string[]): TraitState => ({
  day,
  value,
  said: [first, ...again],
});

/** The questions of every checkpoint. All answers are known by day 28. */
export const TRAITS: readonly Trait[] = [
  {
    name: 'home',
    key: 'home_city',
    asked: ['Where do I live?', 'Which city is my home in?'],
    states: [
      state(1, 'Berlin', 'I live in Berlin.', 'You know I live in Berlin, right?'),
      state(100, 'Munich', 'I moved to Munich last week.', 'I live in Munich now.'),
      state(240, 'Lisbon', 'We just moved to Lisbon.', 'I live in Lisbon these days.'),
      state(262, 'Cascais', 'No, actually I live in Cascais now, not in Lisbon.', 'I live in Cascais.'),
    ],
  },
  {
    name: 'employer',
    key: 'employer',
    asked: ['Which company do I work for?', 'Who is my employer?'],
    states: [
      state(2, 'Acme', 'I work at Acme.', 'I work for Acme.'),
      state(140, 'TechCorp', 'I work at TechCorp now.', 'I work for TechCorp.'),
      state(300, 'Nimbus', 'I left TechCorp. I work at Nimbus now.', 'I work at Nimbus.'),
    ],
  },
  {
    name: 'boss',
    asked: ['What is the name of my boss?', 'Who is my manager?'],
    states: [
      state(6, 'Henrik', 'My boss is called Henrik.', 'Henrik is my boss.'),
      state(142, 'Aisha', 'My boss is Aisha now.', 'My boss is called Aisha.'),
      state(303, 'Tomasz', 'My boss is called Tomasz now.', 'My boss is Tomasz.'),
    ],
  },
  {
    name: 'dog',
    asked: ['What is my dog’s name?', 'Do you know my dog?'],
    states: [state(3, 'Max', 'My dog is called Max.', 'Our dog Max is a beagle.', 'Max is my dog.')],
  },
  {
    name: 'partner',
    key: 'partner_name',
    asked: ['Who am I married to?', 'What is the name of my partner?'],
    states: [state(9, 'Ines', 'My wife is called Ines.', 'Ines is my wife.')],
  },
  {
    name: 'diet',
    key: 'diet',
    asked: ['What kind of diet do I follow?', 'What may I eat?'],
    states: [
      state(11, 'vegetarian', 'I am a vegetarian.', 'I’m vegetarian.'),
      state(215, 'pescatarian', 'I eat fish again, so I’m a pescatarian now.', 'I am a pescatarian.'),
    ],
  },
  {
    name: 'colour',
    key: 'favourite_colour',
    asked: ['Which colour do I like best?', 'In what colour should you paint my room?'],
    states: [
      state(13, 'green', 'My favourite colour is green.', 'Green is my favourite colour.'),
      state(180, 'indigo', 'My favourite colour is indigo now.', 'My favourite colour is indigo.'),
    ],
  },
  {
    name: 'food',
    key: 'favourite_food',
    asked: ['Which food do I like most?', 'What is the dish that I like best?'],
    states: [
      state(15, 'ramen', 'My favourite food is ramen.', 'Ramen is my favourite food.'),
      state(255, 'sardines', 'My favourite food is grilled sardines now.', 'My favourite food is grilled sardines.'),
    ],
  },
  {
    name: 'band',
    key: 'favourite_music',
    asked: ['Which band do I like best?', 'Who are my favourite musicians, which band?'],
    states: [
      state(17, 'Radiohead', 'My favourite band is Radiohead.', 'Radiohead is my favourite band.'),
      state(130, 'Khruangbin', 'My favourite band is Khruangbin now.', 'My favourite band is Khruangbin.'),
      state(310, 'Bonobo', 'My favourite band is Bonobo now.', 'My favourite band is Bonobo.'),
    ],
  },
  {
    name: 'title',
    key: 'job_title',
    asked: ['What is my job title?', 'What is my profession?'],
    states: [
      state(19, 'product designer', 'I’m a product designer.', 'I am a product designer.'),
      state(160, 'design lead', 'I got promoted to design lead.', 'I’m a design lead.'),
    ],
  },
  {
    name: 'sister',
    asked: ['Where does my sister live?', 'Which city is Clara in?'],
    states: [
      state(8, 'Hamburg', 'My sister Clara lives in Hamburg.', 'My sister Clara still lives in Hamburg.'),
      state(200, 'Vienna', 'My sister Clara lives in Vienna now.', 'My sister Clara lives in Vienna.'),
    ],
  },
  {
    name: 'allergy',
    asked: ['What am I allergic to?', 'Which allergies do I have?'],
    states: [state(12, 'peanuts', 'I am allergic to peanuts.', 'Remember that I’m allergic to peanuts.')],
  },
  {
    name: 'languages',
    asked: ['Which languages do I speak?', 'What can I speak besides English?'],
    states: [state(26, 'Portuguese', 'I speak German and Portuguese.', 'I speak Portuguese and German.')],
  },
  {
    name: 'cat',
    asked: ['What is my cat’s name?', 'Do you know my cat?'],
    states: [state(22, 'Luna', 'My cat is called Luna.', 'Luna is my cat.')],
  },
  {
    name: 'car',
    key: 'car',
    asked: ['What car do I drive?', 'What do I drive to work with?'],
    states: [
      state(24, 'Volvo', 'I drive an old Volvo.', 'I drive a Volvo.'),
      state(170, 'Zoe', 'I drive a Renault Zoe now.', 'I drive a Renault Zoe.'),
    ],
  },
  {
    name: 'notes',
    asked: ['What do I use for my notes?', 'Which app are my notes in?'],
    states: [
      state(27, 'Notion', 'I use Notion for my notes.', 'My notes are in Notion.'),
      state(190, 'Obsidian', 'I use Obsidian for my notes now.', 'I use Obsidian for my notes.'),
    ],
  },
];

/**
 * Statements that are made on some day of the year and sometimes repeated in other words: people, things, habits, tastes, health, money.
 */
export const THINGS: readonly (readonly [first: string, ...again: string[]])[] = [
  ['My brother lives in Oslo.', 'My brother is in Oslo, he lives there.'],
  ['My brother Jonas is a nurse.', 'Jonas, my brother, works as a nurse.'],
  ['My mother is called Marta.', 'Marta is my mother.'],
  ['My father is a retired teacher.'],
  ['My daughter Lea is six years old.', 'Lea, my daughter, is six.'],
  ['My son is called Emil.', 'Emil is my son.'],
  ['My grandmother lives in Porto.'],
  ['My best friend is called Samira.', 'Samira is my best friend.'],
  ['My friend Samira is a pilot.'],
  ['My friend David has a bakery.', 'David, my friend, runs a bakery.'],
  ['My colleague Priya is a backend developer.'],
  ['My neighbour is called Paulo.'],
  ['My neighbour has a parrot.'],
  ['My uncle Ernst is a carpenter.'],
  ['My cousin is getting married in June.'],
  ['My landlord is called Mr. Keller.'],
  ['My doctor is Dr. Novak.'],
  ['My team has eight people.'],
  ['I play the cello.', 'I’ve been playing the cello for years.'],
  ['I collect vinyl records.', 'I have a collection of vinyl records.'],
  ['I go swimming every Tuesday.', 'Every Tuesday I go swimming.'],
  ['I go to the gym on Mondays.'],
  ['I meditate every morning.', 'Every morning I meditate.'],
  ['I bake bread on Sundays.'],
  ['I play tennis with David on Saturdays.'],
  ['I volunteer at the animal shelter.'],
  ['I’m a member of a choir.', 'I sing in a choir.'],
  ['I work from home on Fridays.', 'On Fridays I work from home.'],
  ['I get up at six.'],
  ['I’m a night owl.'],
  ['I drink two litres of water a day.'],
  ['I don’t drink alcohol.', 'I never drink alcohol.'],
  ['I listen to podcasts on the train.'],
  ['I grow tomatoes on the balcony.'],
  ['I enjoy jazz concerts.', 'I love jazz concerts.'],
  ['I hate early meetings.', 'I really hate early meetings.'],
  ['I like hiking in the Alps.', 'I love hiking in the Alps.'],
  ['I can’t stand cilantro.', 'I hate cilantro.'],
  ['I love the sea.'],
  ['I hate flying.'],
  ['I prefer trains to planes.'],
  ['I prefer tea over coffee.', 'I like tea more than coffee.'],
  ['I love dark chocolate.', 'I really like dark chocolate.'],
  ['I enjoy detective novels.'],
  ['I dislike loud restaurants.'],
  ['My favourite film is Stalker.'],
  ['My favourite book is Dune.'],
  ['My favourite season is autumn.'],
  ['My favourite restaurant is Chez Paul.'],
  ['I support Werder Bremen.'],
  ['I’m afraid of heights.'],
  ['I have asthma.', 'I suffer from asthma.'],
  ['I wear glasses.'],
  ['I’m left-handed.'],
  ['I quit smoking.'],
  ['I take vitamin D.'],
  ['My rent is 1200 euros a month.', 'I pay 1200 euros of rent a month.'],
  ['I have a savings account at N26.'],
  ['I own a cargo bike.', 'I have a cargo bike.'],
  ['I use a ThinkPad.', 'I work on a ThinkPad.'],
  ['I have a piano at home.'],
  ['I have a garden.'],
  ['I have a driving licence.'],
  ['I can juggle.'],
  ['I can cook Thai food.'],
  ['I work with Figma every day.', 'I use Figma every day.'],
  ['I grew up in Leipzig.'],
  ['I studied architecture in Weimar.', 'I have studied architecture in Weimar.'],
  ['My birthday is on 12 March.'],
  ['I’m 37 years old.'],
  ['My timezone is CET.'],
  ['My office is on the third floor.'],
  ['My thesis is due on June 30.'],
  ['I own a red tent.'],
  ['I started a podcast about design.'],
  ['I have an old Leica camera.'],
];

/** Instructions on how the agent should answer. */
export const FEEDBACK: readonly (readonly [first: string, ...again: string[]])[] = [
  ['I prefer short answers.', 'Please keep your answers short.'],
  ['Please don’t use emojis.'],
  ['Please answer in bullet points.'],
];

/** Sequences of events: goals that are reached or given up, plans that take effect, tastes that change. */
export const STORIES: readonly (readonly [after: number, said: string][])[] = [
  [
    [0, 'I want to run a marathon.'],
    [90, 'I ran the marathon yesterday!'],
  ],
  [
    [0, 'I want to learn to sail.'],
    [70, 'I passed the sailing exam!'],
  ],
  [
    [0, 'I want to write a book.'],
    [120, 'I no longer want to write a book.'],
  ],
  [
    [0, 'My goal is to save 5000 euros.'],
    [100, 'I saved 5000 euros, so I reached my goal!'],
  ],
  [
    [0, 'I love sushi.'],
    [110, 'I hate sushi now.'],
  ],
  [
    [0, 'I like horror films.'],
    [95, 'I don’t like horror films any more.'],
  ],
  [
    [0, 'I’m planning a trip to Japan in April.'],
    [80, 'I came back from the trip to Japan.'],
  ],
  [
    [0, 'I’m learning Japanese.'],
    [60, 'I stopped learning Japanese.'],
  ],
  [
    [0, 'I decided to use PostgreSQL for the Harbour project.'],
    [35, 'I finished the Harbour project.'],
  ],
  [
    [0, 'We decided to go with React.'],
    [50, 'We moved the app to React.'],
  ],
  [
    [0, 'I broke my wrist.'],
    [45, 'My wrist is fine again.'],
  ],
  [
    [0, 'I bought a small boat.'],
    [60, 'I sold the small boat.'],
  ],
  [[0, 'I have a dentist appointment on Friday.']],
  [[0, 'My colleague Marco has a new baby.']],
  [[0, 'I bought an electric guitar.']],
  [[0, 'I got a new MacBook for work.']],
  [[0, 'I adopted a second cat called Miso.']],
  [[0, 'I visited my grandmother in Porto.']],
  [[0, 'I went to a Radiohead concert.']],
  [[0, 'I repaired my cargo bike.']],
];

export const SMALL_TALK: readonly (readonly [user: string, agent: string])[] = [
  ['Good morning!', 'Good morning! How can I help?'],
  ['How are you?', 'Fine, thanks.'],
  ['I’m fine, thanks.', 'Good to hear.'],
  ['Nice weather today, isn’t it?', 'It is indeed.'],
  ['Thanks a lot!', 'You are welcome.'],
  ['Can you draft an email to the team?', 'Sure: "Dear team, …"'],
  ['What is the capital of Peru?', 'Lima.'],
  ['Please shorten this paragraph.', 'Here is a shorter version.'],
  ['Tell me a joke.', 'Why did the chicken cross the road?'],
  ['Could you check this formula?', 'It looks right to me.'],
  ['How do I sort a list in Python?', 'Use sorted().'],
  ['Ok, great.', 'Anything else?'],
  ['What time is it in Tokyo?', 'It is late there.'],
  ['Do you think it will rain?', 'I cannot know.'],
  ['See you tomorrow!', 'See you!'],
  ['I think so too.', 'Then we agree.'],
  ['Sounds good, let’s do that.', 'All right.'],
  ['I need to go now.', 'Until later.'],
  ['Let me check.', 'Take your time.'],
  ['Hm, I’m not sure.', 'We can look at it again.'],
  ['I see.', 'Shall I go on?'],
  ['I don’t understand this error.', 'It says that a file is missing.'],
  ['I’d like to have this as a table.', 'Here is the table.'],
  ['Is this sentence correct?', 'Yes, it is.'],
  ['Translate "good night" into French.', 'Bonne nuit.'],
  ['Which is longer, the Nile or the Amazon?', 'The Nile, by most counts.'],
  ['I’m back.', 'Welcome back.'],
  ['Never mind.', 'All right.'],
  ['You are right.', 'Thank you.'],
  ['I have a question.', 'Go ahead.'],
];

/** Decisions of the agent with their outcomes. */
export const DECISIONS: readonly (readonly [day: number, decided: string, outcome: string])[] = [
  [30, 'Suggested a recipe post', '340 views'],
  [61, 'Suggested a recipe post', '290 views'],
  [92, 'Suggested a news post', '95 views'],
  [123, 'Suggested a recipe post', '280 views'],
  [154, 'Suggested a news post', '110 views'],
  [205, 'Suggested a recipe post', '310 views'],
];

/** Statements that the user later asks to forget. From that day on nothing may state them. */
export const FORGOTTEN: readonly {
  said: readonly [day: number, text: string];
  asked: readonly [day: number, text: string];
  word: string;
}[] = [
  {
    said: [40, 'My locker code at the gym is 48151.'],
    asked: [52, 'Please forget my locker code.'],
    word: '48151',
  },
  {
    said: [150, 'My salary is 61000 euros.'],
    asked: [171, 'Please forget my salary.'],
    word: '61000',
  },
];

/** Periods without any message of the user. */
export const SILENCE: { from: number; to: number } = { from: 270, to: 297 };

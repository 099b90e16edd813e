/**
 * How closely two texts are related. `same`: one statement in other words. `near`: the same subject and attribute, but with another detail,
 * so that one may replace the other. `related`: another statement about the same person or topic, or the answer to a question. `unrelated`:
 * only the form is the same.
 */
export type PairClass = 'same' | 'near' | 'related' | 'unrelated';

export interface CalibrationPair {
  readonly class: PairClass;
  readonly first: string;
  readonly second: string;
}

export interface CalibrationPairsOptions {
  /** Whether to include pairs in other languages, for a multilingual model. Default false. */
  multilingual?: boolean;
}

/** Always in the same order. No text occurs in two pairs. */
export function calibrationPairs({ multilingual = false }: CalibrationPairsOptions = {}): CalibrationPair[] {
  const tables = multilingual ? [ENGLISH, OTHER_LANGUAGES] : [ENGLISH];
  return tables.flatMap((table) =>
    (['same', 'near', 'related', 'unrelated'] as const).flatMap((pairClass) => readTable(pairClass, table[pairClass])),
  );
}

function readTable(pairClass: PairClass, table: string): CalibrationPair[] {
  const lines = table.trim().split('\n');
  return lines.map((line) => {
    const [first = '', second = ''] = line.split(/ \| (.*)/u);
    return { class: pairClass, first: first.trim(), second: second.trim() };
  });
}

// One pair per line. Most unrelated pairs share their form ("User …"), as all memories of one owner do.
const ENGLISH: Record<PairClass, string> = {
  same: `
    User prefers tea over coffee | The user likes tea better than coffee
    User lives in Lisbon | The user's home is in Lisbon
    User is allergic to shellfish | The user has a shellfish allergy
    User's birthday is March 14 | The user was born on 14 March
    Maria is the user's sister | The user has a sister named Maria
    User works as a nurse at a children's hospital | The user's job is nursing in a hospital for children
    User has two dogs called Biscuit and Pepper | Biscuit and Pepper are the user's two dogs
    User wants to run a marathon in October | The user's goal is to complete a marathon this October
    User does not eat meat | The user is a vegetarian
    User dislikes phone calls and would rather be emailed | The user prefers email to being called on the phone
    User is learning Japanese | The user is studying the Japanese language
    User drives a red Volvo | The user's car is a Volvo, painted red
    Priya manages the design team | The design team is led by Priya
    The launch was moved to the second week of May | The launch has been postponed until May's second week
    We decided to use PostgreSQL for the billing service | Decision: the billing service will run on PostgreSQL
    The company was founded in 2017 by two engineers | Two engineers started the company in 2017
    Annual revenue reached 4.2 million dollars last year | Last year the business made $4.2M in revenue
    Most customers are dentists and small clinics | The customer base consists mainly of dental practices and small clinics
    Free shipping starts at orders of 50 euros | Orders from 50 euros upward ship for free
    Refunds are handled within five business days | Customers get their refund in at most 5 working days
    The newsletter goes out every Tuesday morning | The newsletter is sent on Tuesdays in the morning
    User prefers answers as bullet points | The user likes responses formatted as bulleted lists
    User asked not to be addressed by first name | The user does not want to be called by their first name
    Prefers dark mode in all applications | Likes every app to be in dark mode
    User finds long meetings exhausting | Lengthy meetings tire the user out
    User quit smoking three years ago | It has been three years since the user stopped smoking
    User's son starts school in September | In September the user's boy begins school
    User is saving for a down payment on a house | The user puts money aside to buy a home
    Tom is afraid of flying | Tom has a fear of flights
    User sleeps badly when working late | Working late makes the user's sleep poor
    User has a PhD in marine biology | The user holds a doctorate in marine biology
    User's favorite author is Ursula Le Guin | The author the user likes most is Ursula Le Guin
    User uses Vim as their editor | The user writes code in Vim
    The deploy failed because the disk was full | The deployment did not succeed since there was no disk space left
    Emails with a question in the subject line get opened more often | Open rates are higher when the subject line asks a question
    User takes the train to work | The user commutes by train
    User goes climbing on Thursday evenings | Every Thursday evening the user climbs
    Hassan moved from Cairo to Berlin in 2020 | In 2020 Hassan relocated to Berlin from Cairo
    User wants to be reminded to water the plants | Remind the user about watering the plants
    User has never been to Asia | The user has not visited Asia before
    User cannot work on Fridays | Fridays are not possible for the user to work
    The contract with Northwind ends on June 30 | Northwind's contract expires on 30 June
    The support team answers within four hours on average | On average, support takes four hours to reply
    Competitor Halden lowered its prices by 15 percent | Halden, a competitor, cut prices 15%
    User considers sustainability when buying clothes | When shopping for clothing the user pays attention to sustainability
    User's mother is recovering from knee surgery | The mother of the user had a knee operation and is getting better
    User speaks Spanish at home | At home, the user's language is Spanish
    Our API allows 100 requests per minute | The rate limit of our API is 100 requests a minute
    User wants code examples in Python | The user would like sample code to be written in Python
    User started a new job as product manager in January | In January the user began working as a product manager
    The board approved the budget for a second warehouse | The budget for another warehouse got the board's approval
    Elena plays the cello in an amateur orchestra | Elena is a cellist in a non-professional orchestra
    User gets migraines from red wine | Red wine gives the user migraines
    User reads the news only in the morning | Mornings are the only time the user reads news
    The blog should sound friendly but not silly | Tone of the blog: warm, without being goofy
    User was unhappy with the last summary because it was too long | The last summary was too lengthy for the user's taste
    User owns a small bakery in Porto | The user is the owner of a little bakery in Porto
    I'm planning a trip to Norway next summer | Next summer I want to travel to Norway
    User meditates for ten minutes each day | Ten minutes of meditation are part of the user's every day
    User's laptop is a 2021 MacBook Pro with 32 GB of memory | The user works on a MacBook Pro from 2021 that has 32 GB RAM
    The onboarding emails should never mention competitors | Do not talk about competitors in onboarding emails
    User trusts reviews by friends more than online ratings | For the user, recommendations from friends count more than ratings on the internet
    The team meets on Mondays at 10 to plan the week | Weekly planning of the team takes place Monday at ten
    User is worried about losing their job | The user fears being laid off
    User's daughter Nora is lactose intolerant | Nora, the user's daughter, cannot tolerate lactose
  `,
  near: `
    User likes pineapple on everything | User hates pineapple
    User works at Siemens | User works at Siemens as a test engineer in the rail division
    User lives in Warsaw | User lives in Gdansk
    User has one child | User has two children
    User prefers short emails | Prefers emails of at most five sentences
    User drinks coffee every morning | User has stopped drinking coffee
    User's budget for the trip is 2,000 euros | User's budget for the trip is 3,500 euros
    The release is planned for Thursday | The release is planned for next Monday
    User wants to lose weight | User wants to lose eight kilos before the wedding in June
    Karim is the head of sales | Karim is no longer the head of sales
    User is vegetarian | User is vegan except for honey
    User's favorite color is green | User's favorite color is dark blue
    Monthly price of the Pro plan is 29 dollars | Monthly price of the Pro plan is 39 dollars
    We host everything on AWS | We host everything on AWS in the Frankfurt region, mostly on Fargate
    User wants weekly reports | User wants reports once a month instead
    User plays tennis | User plays tennis twice a week at a club near the office
    User does not like horror films | User enjoys horror films from the seventies
    User's cat is called Luna | User's cat is called Milo
    User is looking for a new apartment | User is looking for a three-room apartment with a balcony in Leipzig
    Ana studies medicine | Ana studies law
    The team has eight people | The team has grown to fourteen people
    User prefers morning meetings | User prefers meetings after lunch
    User is training for a half marathon | User is training for a half marathon under two hours, with four runs a week
    The office closes at 6 pm | The office closes at 8 pm on weekdays
    User is married | User is divorced
    User is married to Ingrid | User has been married to Ingrid, a violinist, since 2011
    User's phone is an iPhone | User's phone is an Android device
    Our main competitor is Brightly | Our main competitor is Brightly, which raised 20 million last autumn
    Blog posts should be formal | Blog posts should be casual
    Blog posts should end with a call to action | Blog posts should end with a call to action that links to the free trial
    The database runs on MySQL 5.7 | The database was upgraded to MySQL 8.4
    User takes blood pressure medication | User takes 5 mg of amlodipine for blood pressure every evening
    User is a beginner at chess | User is an advanced chess player with a rating of 1900
    Delivery takes three days | Delivery takes three days inside Germany and a week abroad
    User speaks some French | User speaks fluent French
    User has a meeting with the bank on Tuesday | User's meeting with the bank was canceled
    User plans to visit Peru | User plans to visit Peru for three weeks in November with his brother
    Customer satisfaction is at 81 percent | Customer satisfaction fell to 67 percent
    User prefers Python | User prefers Python for scripts and Go for services
    Diego lives with his parents | Diego lives alone
    User wants the assistant to be brief | User wants the assistant to explain things in detail
    User owes the tax office 1,200 euros | User owes the tax office nothing anymore
    Sofia's wedding is in Florence | Sofia's wedding is in Florence on 12 September with about eighty guests
    User reads science fiction | User mostly reads science fiction by women, recently Becky Chambers
    The onboarding has five steps | The onboarding was shortened to three steps
    User dislikes pop-up notifications | User wants pop-up notifications for urgent messages only
    User's manager is Claire | User's manager is Stefan
    User is afraid of dogs | User loves dogs
    The warehouse is in Rotterdam | The warehouse moved from Rotterdam to Antwerp
    We advertise on Instagram | We advertise on Instagram with about 300 euros a week, mainly reels
    User goes to bed at 11 pm | User goes to bed around 1 am
    User is thinking about leaving the company | User has decided to leave the company at the end of the year
    Use metric units in answers | Use imperial units in answers
    User's car needs new brakes | User's car got new brakes last week
    Leo can swim | Leo cannot swim
    User would like to start a podcast | User would like to start a podcast about urban gardening with a friend from university
    The bug in the export is open | The bug in the export is fixed since version 3.2
    User bought a bicycle | User bought a used cargo bicycle for 1,800 euros
    User is on a keto diet | User has given up the keto diet
    Nadia is pregnant | Nadia is pregnant with twins, due in February
    Subscribers: 12,400 | Subscribers: 15,900
    The client wants the logo in the header | The client wants the logo in the footer, not in the header
    User's internet connection is slow | User's internet connection is slow in the evening, about 6 Mbit/s
    User always books window seats | User always books aisle seats
    I have an appointment with Dr. Osei at nine | My appointment with Dr. Osei was moved to half past ten
  `,
  related: `
    What does the user like to drink in the morning? | User starts the day with a double espresso
    Where did the user go to university? | User graduated from the University of Edinburgh in 2009
    Which database did we choose for analytics? | Decision: analytics data goes to ClickHouse because queries on events were too slow
    When is the next dentist appointment? | User sees the dentist on 22 August at 8:30
    How should I format the weekly report? | User wants the weekly report as a table with one row per project
    Who takes care of the children on Wednesdays? | Grandma picks the kids up every Wednesday
    What is the name of the user's wife? | User's wife Hannah works as an architect
    What can I cook for the user tonight? | User cannot eat gluten
    How many people work for us? | The company has 46 employees in three offices
    Why did the campaign fail? | The spring campaign reached the wrong audience: mostly students without budget
    Is there anything I should know before the call with Meridian? | Meridian complained twice about late invoices
    What are the user's plans for the summer? | User will spend July in a cabin in Sweden
    How do I reach the plumber? | Plumber: Mr. Kowalski, 0171 555 0199
    Which languages does the user speak? | User grew up bilingual, with Dutch and English
    what did we decide about pricing | We raise the price of the Team plan to 49 dollars from October on
    Does the user have pets? | User adopted a greyhound from the shelter last year
    What makes our emails work? | Emails sent before 9 in the morning get twice as many replies
    Any advice from the last retrospective? | The team agreed to limit work in progress to three tickets per person
    User is training for a triathlon | User swims two kilometers every Saturday
    User is vegan | User is looking for restaurants with good plant-based menus
    User has a newborn baby | User gets very little sleep at the moment
    User is moving to Madrid | User is taking an intensive Spanish course
    User runs an online shop for ceramics | User's best-selling product is a blue espresso cup
    User's father has diabetes | User worries about her father's health
    User is a freelance photographer | User charges 600 euros for a half-day shoot
    User suffers from back pain | User bought a standing desk
    User is planning a wedding | User is looking for a photographer for the ceremony
    Jonas plays the drums | Jonas has a concert with his band on Friday
    Jonas works in a bike shop | Jonas can repair electric bikes
    Amira joined the marketing team | Amira is responsible for social media
    Amira is from Tunis | Amira speaks Arabic and French
    The website is slow on mobile phones | Images on the landing page are not compressed
    The checkout loses 40 percent of customers | Customers complain that they must create an account before paying
    We use Kubernetes in production | The staging cluster has three nodes
    Backups run every night at two | Restoring a backup was last tested in April
    The API returns errors under load | The connection pool is limited to ten connections
    User wants to write a novel | User writes five hundred words every morning
    User reads a lot about Roman history | User visited Pompeii in spring
    User is saving for retirement | User invests in index funds every month
    User's rent went up by 200 euros | User spends almost half of the income on housing
    User likes hiking | User owns good boots and a light tent
    User is afraid of flying | User takes the night train to Vienna
    User is learning the guitar | User can play a few songs by the Beatles
    User prefers concise answers | User was annoyed when an answer began with a long introduction
    User prefers dark roast coffee | User owns an espresso machine by Rancilio
    User is allergic to cats | User takes antihistamines when visiting friends with animals
    User manages a team of six developers | User holds one-on-one talks with the developers every second week
    User has an exam in statistics in two weeks | User finds probability theory hard
    The bakery opens at six | The bakery sells about 400 rolls a day
    The new feature is called Insights | Insights shows which pages visitors leave
    Halvorsen Ltd is our largest customer | Halvorsen Ltd pays invoices after 60 days
    Halvorsen Ltd uses our product in five countries | The contact person at Halvorsen Ltd is Mette Lund
    Competitors offer a free plan | We lose a third of trials to cheaper alternatives
    Readers like posts with practical examples | The post with the step-by-step checklist had the most shares
    The podcast has 3,000 listeners per episode | Episodes with guests are downloaded more often
    User broke his ankle while skiing | User goes to physiotherapy twice a week
    User's daughter loves dinosaurs | User is planning a birthday party for her daughter
    User is renovating the kitchen | User ordered oak countertops
    User bought an electric car | User had a charging station installed in the garage
    User is interviewing for jobs in data science | User is brushing up on SQL and statistics
    User feels lonely since the move | User would like to meet people in the new city
    User wants to spend less time on the phone | User deleted Instagram
    User grows tomatoes on the balcony | User asked how to get rid of aphids
    Tests take twenty minutes in CI | Developers often merge without waiting for the pipeline
    My boss wants the slides by Thursday | I have a presentation for the executive board on Friday
    Weather ruined the open-air festival | The festival made a loss of 30,000 euros this year
  `,
  unrelated: `
    User prefers tea without sugar | User's landlord is called Mr. Fischer
    User lives near Toulouse | User's favorite series is about detectives
    User has a peanut allergy | User wants code comments in English
    User plays the violin | User's tax return is due in May
    User is a lawyer | User likes strawberries
    User wants to learn scuba diving | User dislikes long subject lines
    User's brother is a pilot | User keeps passwords in a manager
    User runs five kilometers a day | User is reading a book on medieval trade
    User has a meeting at three | User owns a green sofa
    User prefers bullet points | User's grandmother came from Sicily
    User's dog is twelve years old | User charges 90 euros an hour
    User is vegetarian and cooks at home | User upgraded the router firmware
    User moved to Oslo in winter | User thinks the new logo is too colorful
    User wants reminders on weekdays only | User's shoe size is 43
    User sold his motorcycle | User's daughter has a cold
    User supports a football club from Naples | User needs the invoice as a PDF
    User is afraid of spiders | User's company uses Slack
    User hates early flights | User studies linear algebra
    User bakes sourdough bread | User's visa expires in October
    User has three monitors | User's aunt grows roses
    User wants to quit sugar | User asked for a summary of the board meeting
    User wears glasses | User prefers trains to buses
    User likes jazz | User likes cycling
    User likes ravioli | User owns a wooden canoe
    User hates traffic | User hates mushrooms
    User loves the sea | User loves crossword puzzles
    User prefers linen shirts | User prefers to pay by card
    User prefers working from home | User prefers crunchy peanut butter
    User enjoys stand-up comedy | User enjoys growing herbs
    User dislikes loud restaurants | User dislikes writing tests
    User wants to visit Iceland | User wants to write cleaner code
    User wants to buy a piano | User wants to drink more water
    User plans to repaint the fence | User plans to change banks
    User is interested in astronomy | User is interested in real estate
    User is good at drawing | User is good at negotiating
    User is tired after work | User is proud of the new website
    User is 34 years old | User is waiting for a parcel
    User is left-handed | User is a member of the choir
    User works for an insurance company | User has a small garden
    User works night shifts | User knits scarves as gifts
    User lives on the fourth floor | User listens to podcasts about history
    User grew up on a farm | User uses Excel for the budget
    User has a tattoo | User has a savings account
    User has been to Brazil twice | User has trouble with the printer
    User has a dentist in the family | User has ordered a new keyboard
    User had a car accident in 2016 | User had good results with short ads
    User bought a tent | User bought shares of an energy company
    User's neighbor plays the trumpet | User's laptop gets too hot
    User's favorite season is autumn | User's contract ends next year
    User's son is good at math | User's flight was delayed by five hours
    User's boss is strict | User's bicycle was stolen
    User's knee hurts | User's thesis is about bridges
    User asked for a recipe with lentils | User asked how to cancel a subscription
    User asked to be called Alex | User asked for cheaper hotels in Vienna
    User mentioned a headache | User mentioned the trade fair in Hanover
    User usually wakes up at six | User usually shops at the market
    User goes to church on Sundays | User speaks at conferences about security
    User decided to sell the house | User decided to use tabs instead of spaces
    User felt nervous before the talk | User felt that the soup was too salty
    User needs a visa for India | User needs quiet to concentrate
    Lena collects stamps | The server needs a new certificate
    Marcus is the head of finance | Emma's cat had kittens
    Yuki moved to Canada | Robert prefers decaf
    Olga teaches chemistry | Pedro's flight lands at noon
    Peter is on parental leave | The newsletter has a new template
    Fatima won a photography prize | The printer on the second floor is broken
    Sam is allergic to bees | Ravi's quarterly targets are set in January
    We decided to drop support for Internet Explorer | The summer party takes place at the lake
    We signed a lease for the office in Lyon | The unit tests of the parser are flaky
    Revenue grew by 12 percent | The kitchen sink is leaking
    Churn is highest in the first month | User's sister is getting married
    The deploy pipeline uses GitHub Actions | Customers ask for gift wrapping
    The warehouse is closed on Sundays | Passwords must have twelve characters
    Free trials last fourteen days | The coffee machine has to be descaled
    The brand color is orange | The backup takes two hours
    Decision: logs are kept for thirty days | Decision: the team event will be a cooking class
    Decision: hire a second designer | Decision: cache the search results for five minutes
    Goal: publish two articles a week | Goal: fix the roof before winter
    Goal: reach 1,000 subscribers | Goal: read more to the children
    Note: rotate the API keys | Note: buy candles for the cake
    Note: the parking garage closes at ten | Note: try shorter headlines
    Preference: window seat | Preference: answers with sources
    Preference: no phone calls before ten | Preference: linen shirts
    What is the user's favorite food? | User renewed the domain name last week
    Where does the user live? | User finds spreadsheets relaxing
    Who is responsible for the contract with the supplier? | Dark mode was added to the mobile app
    When does the school holiday begin? | Index rebuilds lock the table for a minute
    How much does the Pro plan cost? | User's uncle builds wooden boats
    Which tone should the blog have? | User takes vitamin D in winter
    Does the user have children? | The meeting room has a new projector
    What did we learn from the last outage? | User collects vinyl records from the sixties
    Can you recommend a film for tonight? | The supplier in Shenzhen raised the minimum order quantity
    What's the weather going to be like tomorrow? | User is an only child
    Remind me to call the insurance | Postgres 17 is faster at vacuuming large tables
    I had a terrible night, the neighbors were loud again | The conversion rate of the landing page is 2.3 percent
    Thanks, that was exactly what I needed! | User's passport number ends in 44
    I can't find the settings for notifications | Grandpa fought in the navy
    Let's talk about the garden | The quarterly report needs a chart of operating costs
    User does not drink alcohol | User does not have a driving license
    User never answers on weekends | User never learned to ride a horse
    In 2019 the company opened a branch in Milan | In 2019 the user ran a first marathon
    The total was 250 euros | The temperature reached 25 degrees
    User felt stressed because the deadline was moved forward by two weeks | User inherited an old clock from a neighbor who moved abroad
    The customer reported that exported files open with broken umlauts | User is thinking about painting the bedroom in a light gray
  `,
};

// These few pairs suffice to adjust a multilingual model's boundaries, but not to calibrate one language alone.
const OTHER_LANGUAGES: Record<PairClass, string> = {
  same: `
    Der Nutzer wohnt in Hamburg | Hamburg ist der Wohnort des Nutzers
    L'utilisateur préfère le thé au café | L'utilisateur aime mieux le thé que le café
    La usuaria trabaja como enfermera | El trabajo de la usuaria es la enfermería
    O utilizador tem dois gatos | Dois gatos vivem com o utilizador
    ユーザーは東京に住んでいる | ユーザーの自宅は東京にある
    User is allergic to nuts | Der Nutzer hat eine Nussallergie
    User's birthday is in May | L'anniversaire de l'utilisateur est en mai
    The meeting was moved to Friday | La reunión se aplazó al viernes
  `,
  near: `
    Der Nutzer arbeitet bei Bosch | Der Nutzer arbeitet bei Bosch als Einkäufer in Stuttgart
    L'utilisateur aime les champignons | L'utilisateur déteste les champignons
    La usuaria vive en Sevilla | La usuaria vive en Bilbao
    O utilizador tem um filho | O utilizador tem três filhos
    ユーザーは猫を一匹飼っている | ユーザーは猫を三匹飼っている
    User prefers short reports | Der Nutzer möchte Berichte von höchstens einer Seite
    User smokes | L'utilisateur a arrêté de fumer
    The price is 20 euros a month | El precio es de 25 euros al mes
  `,
  related: `
    Was isst der Nutzer gern? | Der Nutzer kocht am liebsten indische Gerichte
    L'utilisateur apprend le piano | L'utilisateur joue un morceau de Satie
    La usuaria prepara un maratón | La usuaria corre diez kilómetros los domingos
    O utilizador está a renovar a casa | O utilizador encomendou azulejos novos
    ユーザーはパリへ旅行する予定だ | ユーザーはフランス語を勉強している
    Where does the user work? | Der Nutzer ist Lehrer an einer Grundschule
    User has a baby | L'utilisateur dort très peu en ce moment
    The shop sells shoes | El producto más vendido son las botas de invierno
  `,
  unrelated: `
    Der Nutzer spielt Schach | Der Drucker im zweiten Stock ist kaputt
    L'utilisateur habite à Nantes | Le rapport doit être envoyé en PDF
    La usuaria es alérgica al polen | El servidor necesita más memoria
    O utilizador gosta de cinema | A fatura vence em outubro
    ユーザーは辛い料理が好きだ | サーバーの証明書は来月切れる
    User collects stamps | Der Vertrag endet im Juni
    User's sister is a pilot | L'utilisateur préfère les listes à puces
    Backups run every night | A la usuaria le gustan las fresas
  `,
};

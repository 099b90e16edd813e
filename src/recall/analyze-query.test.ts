import { expect, it } from 'vitest';
import { memoryTypeTable } from '../record/memory-types.ts';
import { attributeTable } from '../record/attribute-table.ts';
import { asksOfKnown, inFirstPerson, userInFirstPerson } from './analyze-query.ts';
import type { RecallDocument } from './recall-document.ts';
import { RecallView } from './recall-view.ts';

const attributes = attributeTable();
const scope = { tenant: 't', agent: null, user: 'u1', session: null, connection: null };

function viewOf(name: string): RecallView {
  const view = new RecallView(memoryTypeTable());
  view.add({
    kind: 'memory',
    rowId: 1,
    id: 'mem_1',
    text: `Is called ${name}`,
    type: 'fact',
    attribute: 'name',
    value: name,
    category: 'personal',
    isPermanent: true,
    speaker: null,
    role: null,
    session: null,
    connection: null,
    sources: [],
    time: 0,
    until: Infinity,
    expiresAt: null,
    successor: null,
  });
  return view;
}

it.each([
  ['Greta Holm', 'When does Greta get up?', 'When does i get up?'],
  ['Greta Holm', "What is Greta Holm's blood type?", 'What is my blood type?'],
  ['greta', 'when does greta get up?', 'when does i get up?'],
  ['Will', 'What will Will eat?', 'What will i eat?'],
  ['Will', 'Will I see Mark?', 'Will I see Mark?'],
  ['Will', "Will's cat is old. Will it sleep where Will sleeps?", 'my cat is old. Will it sleep where i sleeps?'],
  ['Mark', 'Mark my calendar! Where does Mark work?', 'Mark my calendar! Where does i work?'],
  ['will', 'will i see mark?', 'will i see mark?'],
  ['Greta', 'Where is Gretas Inn in Gretalia?', 'Where is my Inn in Gretalia?'],
  ['Greta', 'Greta', 'Greta'],
  ['Uwe', 'Wo arbeitet Uwe und was ist Uwes Hobby?', 'Wo arbeitet ich und was ist mein Hobby?'],
  ['Inés', '¿Dónde trabaja Inés?', '¿Dónde trabaja yo?'],
  ['王芳', '王芳在哪里工作？', '我在哪里工作？'],
  ['佐藤', '佐藤さんの趣味は何ですか？', '私の趣味は何ですか？'],
])('the name of the user %s becomes the first person: %j', (name, question, spoken) => {
  expect(inFirstPerson(question, { view: viewOf(name), scope, attributes: attributes })).toBe(spoken);
});

it.each([
  ['Where was the user born?', 'Where was i born?'],
  ["What is the user's shoe size?", 'What is my shoe size?'],
  ['user’s favourite soup', 'my favourite soup'],
  ['Is this person married?', 'Is i married?'],
  ['Does my user own a car?', 'Does i own a car?'],
  ['user hobbies', 'my hobbies'],
  ['Wo arbeitet der Nutzer?', 'Wo arbeitet ich?'],
  ['¿Dónde vive el usuario?', '¿Dónde vive yo?'],
  ['用户住在哪里？', '我住在哪里？'],
  // In these questions "the user" is somebody else or part of a compound noun.
  ['What did I say about the user?', 'What did I say about the user?'],
  ['Which colours has the user interface?', 'Which colours has the user interface?'],
  ['How many users came?', 'How many users came?'],
  ['the user', 'the user'],
])('"the user" in the question of an agent becomes the first person: %j', (question, spoken) => {
  expect(userInFirstPerson(question)).toBe(spoken);
});

const known = viewOf('Greta');
known.add({
  ...(known.documents[0] as RecallDocument),
  rowId: 2,
  id: 'mem_2',
  attribute: 'pet_name',
  value: 'Bramble',
});
known.add({
  ...(known.documents[0] as RecallDocument),
  rowId: 3,
  id: 'mem_3',
  text: "User's uncle Piet: Lives in Delft",
  subject: "User's uncle Piet",
  attribute: null,
});

it.each([
  'What is my blood type?',
  'Hello! I am back. Which dentist do I go to?',
  'How old is my nephew?',
  'When is my next appointment?',
  'What is next to my bed?',
  'What is next on my list?',
  'Wann ist mein nächster Termin?',
  'Et maintenant, où est mon vélo ?',
  '我的下一次会议是什么时候？',
  'When did we buy the piano?',
  'What does Greta do on Mondays?',
  'Which vet does Bramble see?',
  "What is Piet's birthday?",
  'Welche Blutgruppe habe ich?',
  'Wie heißt mein Zahnarzt?',
  '¿Cuál es mi grupo sanguíneo?',
  'Quel est mon groupe sanguin ?',
  'Comment s’appelle ma dentiste ?',
  'Qual é o meu tipo de sangue?',
  'Qual è il mio gruppo sanguigno?',
  'Wat is mijn bloedgroep?',
  '我的血型是什么？',
  '私の血液型は何ですか？',
  "what's my blood type",
  'whats my blood type',
  'when is my sisters birthday',
  'which vet does bramble see',
  'hey, where did we park',
  'wie heißt mein vater',
  'welche blutgruppe hab ich',
  "comment s'appelle mon chien",
  'quel est mon groupe sanguin',
  'cuál es mi grupo sanguíneo',
  'dove ho parcheggiato la mia bici',
  'qual é o meu tipo de sangue',
  'wat is mijn bloedgroep',
  '我的血型是什么',
])('asks for a fact that only memory can have: %s', (question) => {
  expect(asksOfKnown(question, { view: known, scope, attributes })).toBe(true);
});

it.each([
  'Who wrote Middlemarch?',
  'How do I sharpen a chisel?',
  'Which soup should we cook for the party?',
  'I planted beans. How long does a bean take to sprout?',
  'What is a good present for my uncle?',
  'Can you shorten my letter?',
  'Why does my bread sink in the middle?',
  'My piano is old.',
  'hey, so whats next for me?',
  'ok my exam is done. What comes next?',
  'How am I doing so far?',
  'Wie geht es bei mir jetzt weiter?',
  '¿Qué sigue para mí?',
  'Et quelle est la suite pour moi ?',
  'E agora? O que vem a seguir para mim?',
  'Qual è il mio prossimo passo?',
  'Wat is mijn volgende stap?',
  '我的下一步是什么？',
  '私は次に何をしますか？',
  'Wer hat die Blechtrommel geschrieben?',
  'Wie schärfe ich ein Messer?',
  'Was koche ich heute?',
  'Was soll ich meiner Tante schenken?',
  '¿Quién pintó el Guernica?',
  '¿Cómo afilo un cuchillo?',
  '¿Qué debería regalar a mi tía?',
  'Qui a peint le Guernica ?',
  'Comment est-ce que je répare mon vélo ?',
  'Que devrais-je offrir à ma tante ?',
  'Quem pintou a Guernica?',
  'Como eu afio uma faca?',
  'Chi ha dipinto Guernica?',
  'Come affilo il mio coltello?',
  'Wie heeft de Nachtwacht geschilderd?',
  'Hoe slijp ik mijn mes?',
  '谁画了格尔尼卡？',
  '我应该送妈妈什么礼物？',
  'ゲルニカを描いたのは誰ですか？',
  '私のナイフはどうやって研ぎますか？',
  'when I was in Rome my wallet was stolen',
  'where we live it rains all day',
  'what my boss said today made me angry',
  'wo ich wohne ist mein vater auch geboren',
  "quand j'étais petite ma mère chantait",
  'how do i sharpen my chisel',
])('asks for general knowledge, advice or a task, or is not a question: %s', (question) => {
  expect(asksOfKnown(question, { view: known, scope, attributes })).toBe(false);
});

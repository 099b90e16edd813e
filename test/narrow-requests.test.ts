import { describe, expect, it } from 'vitest';
import { MINUTE } from '../src/record/clock.ts';
import { formingWithoutModel } from './form-model.ts';

/** A turn of the user, alone or with the answer of the assistant. Words in `{}` must be gone after the last turn, which is the request. */
type Turn = string | [said: string, answer: string];

const forming = formingWithoutModel();
let users = 0;

const bare = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/** Says the turns, and returns the log and the log that is expected, both without the last turn unless it is marked itself. */
async function logAfter(turns: readonly Turn[], isOwn = false): Promise<{ log: string[]; expected: string[] }> {
  const { varve, clock } = forming();
  users += 1;
  const handle = varve.for({ agent: 'a', user: `u${users}`, session: `s${users}` });
  const marked = turns.flatMap((turn) => (typeof turn === 'string' ? [turn, 'Okay.'] : turn));
  for (let turn = 0; turn < marked.length; turn += 2) {
    const [userMessage = '', agentResponse = ''] = marked.slice(turn).map((text) => text.replace(/[{}]/gu, ''));
    await handle.logInteraction({ userMessage, agentResponse });
    await varve.drain();
    clock.advance(MINUTE);
  }
  const { items } = await handle.events.list({ order: 'oldest', limit: 100 });
  const [log, expected] = [
    items.map(({ content }) => bare(content)),
    marked.map((text) => bare(text.replace(/\{[^}]*\}/gu, ' '))),
  ];
  const request = isOwn ? [] : [log.length - 2];
  const isTold = (_: string, index: number): boolean => !request.includes(index);
  return { log: log.filter(isTold), expected: expected.filter(isTold) };
}

describe('[X1] a request for one matter of a person', () => {
  it.each<[Turn[]]>([
    [
      [
        'Gwen and I share an allotment, {she lost her husband Idris in the floods.}',
        'Gwen and I fly to Crete on 6 June.',
        "Gwen's brother broke his hip in Derby.",
        "Please forget what I said about Gwen's husband.",
      ],
    ],
    [
      [
        'My brother Felix works at the brewery.',
        '{Felix got arrested for drunk driving in May.}',
        'He has two dogs, Pip and Moss.',
        "Can you delete the thing about Felix's arrest?",
      ],
    ],
    [
      [
        'Meine Cousine Birgit ist Lehrerin in Bonn, {und sie hat hohe Schulden bei der Bank.}',
        'Die hat drei Kinder, Ole, Jan und Mia.',
        'Am Samstag war ich bei Birgit in Bonn.',
        'Die Sache mit Birgits Schulden vergiss bitte wieder.',
      ],
    ],
    [
      [
        'Mi primo Nacho trabaja de albañil.',
        '{Nacho debe 20 mil al banco y no se lo ha dicho a su mujer.}',
        'Nacho viene a cenar el sábado.',
        'Olvida lo de la deuda de Nacho, por favor.',
      ],
    ],
    [
      [
        'Mon collègue Luc est comptable.',
        '{Luc divorce, sa femme est partie en mars.}',
        'Il a un chien.',
        "Oublie le divorce de Luc s'il te plaît.",
      ],
    ],
    [
      [
        'Mijn zus Anouk woont in Breda.',
        '{Anouk gaat scheiden van Pieter.}',
        'Ze heeft twee kinderen, Sem en Lotte.',
        'Vergeet de scheiding van Anouk alsjeblieft.',
      ],
    ],
    [
      [
        'Mia cugina Giulia fa la maestra.',
        '{Giulia ha perso il lavoro a marzo.}',
        'Giulia viene a pranzo domenica.',
        'Dimentica la faccenda del licenziamento di Giulia.',
      ],
    ],
    [
      [
        'O meu primo Tiago é dentista.',
        '{O Tiago está a fazer quimioterapia.}',
        'Ele mora em Braga.',
        'Esquece a quimioterapia do Tiago, por favor.',
      ],
    ],
  ])('keeps everything else about the person: %j', async (turns) => {
    const { log, expected } = await logAfter(turns);
    expect(log).toEqual(expected);
  });

  it.each<[Turn[]]>([
    [
      [
        'My flatmate Bram never does the dishes.',
        'He owes me forty quid.',
        'The cat is called Olive.',
        'Forget Bram, please, everything about him.',
      ],
    ],
  ])('differs from a request for the person: %j', async (turns) => {
    const { log } = await logAfter(turns);
    expect(log.join('\n')).not.toMatch(/Bram|quid/);
    expect(log.join('\n')).toContain('Olive');
  });
});

describe('[X1] an answer of the assistant that shares only common words with a forgotten statement', () => {
  it.each<[Turn[]]>([
    [
      [
        ['{Unsere Reise nach Kreta war schön, eine Ehre war die Einladung von Fabian.}', 'Wie schön, eine Ehre.'],
        ['Der Garten ist endlich fertig.', 'Sehr schön.'],
        ['Am Samstag kommt Besuch.', 'Schön, dass du Gäste hast.'],
        'Vergiss bitte die Reise nach Kreta.',
      ],
    ],
    [
      [
        ["{I take sertraline, and it's been a great week.}", "That's great. {How long have you been on sertraline?}"],
        ['My tomatoes are ripe.', 'Great, what a week.'],
        'Please forget the sertraline.',
      ],
    ],
    [
      [
        ['{Mi boda con Álvaro fue preciosa, un honor enorme.}', 'Qué bonito, un honor.'],
        ['He aprobado el carné.', 'Qué suerte, precioso.'],
        'Olvida lo de la boda con Álvaro.',
      ],
    ],
    [
      [
        ['{Mijn broer Joris heeft een geweldige baan bij de geheime dienst.}', 'Geweldig, wat spannend.'],
        ['Ik heb brood gebakken.', 'Geweldig.'],
        'Vergeet dat Joris bij de geheime dienst werkt.',
      ],
    ],
    [
      [
        ['{Ho passato una bella giornata con Lorenzo, il mio amante.}', 'Che bella giornata!'],
        ['Ho finito la tesi.', 'Bello, complimenti.'],
        'Dimentica quello che ti ho detto di Lorenzo.',
      ],
    ],
  ])('stays whole: %j', async (turns) => {
    const { log, expected } = await logAfter(turns);
    expect(log).toEqual(expected);
  });
});

describe('[X1] a request at the end of the turn that it means', () => {
  it.each<[string]>([
    ['{im 43 and still wet the bed. actually forget i said that}'],
    ['{I am seeing a married man. His name is Karl. Oh god, please forget I told you that.}'],
    ['The boiler is fixed. {I was fired from the bakery, please forget I mentioned it.}'],
    ["{My dad drinks again (please don't save that).}"],
    ["{We're trying for a baby - don't store this.}"],
    ['{Meine Mutter hat Demenz (bitte nicht speichern).}'],
    ["{Mia sorella è incinta, dimentica che te l'ho detto.}"],
    ['{O meu salário é 1500 euros, esquece isso.}'],
    ['{Ik ben weer begonnen met roken, vergeet dat maar.}'],
    ['{I am on parole until May. Strike that.}'],
    ["{I'm three months behind on the rent, strike that}"],
    ['{My sister went bankrupt last year. Pretend I never mentioned it.}'],
    ['{Mein Bruder sitzt im Gefängnis, vergiss, dass ich das erzählt habe.}'],
    ["{J'ai perdu mon emploi hier. Fais comme si je ne t'avais rien raconté.}"],
    ['{Mia madre beve di nuovo, fai finta che non abbia detto nulla.}'],
    ['{Ik heb schulden bij de bank, vergeet dat ik dat gezegd heb.}'],
  ])('hides what precedes it: %s', async (said) => {
    const { log, expected } = await logAfter(['My dog is called Rex.', said], true);
    expect(log).toEqual(expected);
  });

  it.each<[string]>([
    ['I was going to make a lasagne, forget that, I will order in.'],
    ['I hate my job. Actually no, forget that, my job is fine.'],
    ["What is a good name for a spaniel? ah forget it, I'll ask Ruth."],
    ['I lost my keys. Forget it, found them.'],
    ["The recipe needs two eggs. Don't forget that."],
    ["We could go to Rome. Or forget that, let's go to Pisa."],
    ['Ich wollte heute joggen, vergiss es bei dem Wetter.'],
    ["Kannst du mir 17 mal 23 rechnen, ach vergiss es, hab's schon."],
    ['Iba a hacer paella, olvídalo, pedimos pizza.'],
    ['Ik wilde gaan fietsen, vergeet het maar met dit weer.'],
    ['I lost 4 kilos, strike that, 5 kilos.'],
    ['Book me a room in Leeds. Strike that, in York.'],
    ['He acts as if I never said that, typical.'],
  ])('is no request if it changes a plan: %s', async (said) => {
    const turns = ['My dog is called Rex.', said];
    const { log, expected } = await logAfter(turns, true);
    expect(log).toEqual(expected);
  });
});

describe('[X1] an order to delete everything about something that another program has as well', () => {
  it.each<[Turn[]]>([
    [['{The slides of Henrietta were so boring that I nearly left.}', "Delete everything about Henrietta's slides."]],
    [['{Las fotos de Marta son un horror.}', 'Olvida todo lo que dije sobre las fotos de Marta.']],
    [['{Le slide di Marco erano noiosissime.}', 'Dimentica tutto quello che ho detto sulle slide di Marco.']],
    [['The budget in the slides is too high.', 'Delete everything about the budget from the slides.']],
    [['I have a draft for Joan.', 'Delete all drafts for Joan.']],
    [['Das Budget in den Folien ist zu hoch.', 'Lösch alles über das Budget aus den Folien.']],
  ])('hides what the user has said about it, and nothing if it names a document to edit: %j', async (turns) => {
    const { log, expected } = await logAfter(turns);
    expect(log).toEqual(expected);
  });
});

describe('[X1] a request that names nothing', () => {
  it.each<[Turn[]]>([
    [['My dog is called Rex.', '{My dad has started gambling again.}', 'Could you act like I never said that?']],
    [['My dog is called Rex.', '{I got fined for speeding again.}', 'strike that']],
    [['Mein Hund heißt Rex.', '{Ich bin wieder bei der Therapeutin.}', 'tu so als hätte ich nichts gesagt']],
    [['Il mio cane si chiama Rex.', '{Ho paura di perdere il lavoro.}', 'dimentica quello che ho detto']],
  ])('hides the latest turn alone: %j', async (turns) => {
    const { log, expected } = await logAfter(turns);
    expect(log).toEqual(expected);
  });
});

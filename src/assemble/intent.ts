import { indexWords } from '../language/words.ts';

/** The features of a message that decide what is loaded. */
export interface Intent {
  /** The services whose data it needs. */
  services: string[];
  /** Its words in their normalised form for search. */
  words: string[];
  /** Whether the message is only a greeting, thanks or agreement. */
  smallTalk: boolean;
}

/** Classifies a message by rules: a service is needed when the message contains one of its topics. */
export function intentOf(
  message: string,
  services: Readonly<Record<string, { about: readonly string[] }>> = {},
): Intent {
  const words = [...new Set(indexWords(message))];
  const said = new Set(words);
  const needed = Object.entries(services).filter(([name, { about }]) =>
    [name, ...about].some((topic) => {
      const parts = indexWords(topic);
      return parts.length > 0 && parts.every((word) => said.has(word));
    }),
  );
  return { services: needed.map(([name]) => name), words, smallTalk: isSmallTalk(message) };
}

/** How many words of an intent a text contains. */
export function overlap({ words }: Intent, text: string): number {
  const has = new Set(indexWords(text));
  return words.filter((word) => has.has(word)).length;
}

// Greetings, thanks and agreement in a few languages, for which memory is of no use.
const PHRASES = new Set(
  `hi,hello,hey,hey there,good morning,good evening,good night,morning,thanks,thank you,thanks a lot,thank you so much,
  many thanks,thx,ty,cheers,ok,okay,k,kk,alright,all right,sure,yes,yep,yeah,no,nope,cool,great,nice,perfect,awesome,
  got it,sounds good,makes sense,lol,haha,hahaha,bye,goodbye,see you,see you later,welcome,you too,how are you,
  how are you doing,hows it going,whats up,sup,hallo,guten morgen,danke,vielen dank,tschüss,ja,nein,bonjour,salut,merci,
  oui,non,au revoir,hola,gracias,adiós,sí,ciao,grazie,olá,obrigado,obrigada,hoi,bedankt,你好,谢谢,好的,こんにちは,ありがとう,はい`
    .split(',')
    .map((phrase) => phrase.trim()),
);

function isSmallTalk(message: string): boolean {
  const said = message
    .toLowerCase()
    .replace(/['’]/gu, '')
    .replace(/[^\p{L}\p{N}\s]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  return said === '' || PHRASES.has(said);
}

import { expect, it } from 'vitest';
import { smallTalkIn } from './packs/packs.ts';

const COURTESIES = `Noted.|thanks!|Thank you so much!|You’re welcome! Anything else?|I see. Thanks a lot :)|I'll remember that.|Danke schön!|
  Gern geschehen.|de nada|¡Muchas gracias!|Avec plaisir !|C'est noté.|De nada!|Prego!|Graag gedaan.|谢谢|好的，谢谢！|ありがとうございます！|承知しました。`;
const REPLIES = `ok|Ok, great, thanks!|Got it.|👍|❤️❤️|...|Yes|no|Nice!|Good morning|Alles klar, danke.|Vale, gracias|D'accord, merci !|Va bene|Oké, top|是的|はい`;
const CONTENT = `Ok, I will call Ana|Nice is lovely in May|Thanks for the tip about Oslo|Right, Berlin.|42|Good night, Tom|no tengo coche|吃了吗|
  猫が好きです|Ja, in Köln|Grand Hotel|Thanksgiving|Monday`;
const listed = (texts: string): string[] => texts.split('|').map((text) => text.trim());

it.each(listed(COURTESIES))('is a courtesy: %s', (text) => expect(smallTalkIn(text)).toBe('courtesy'));
it.each(listed(REPLIES))('is a reply: %s', (text) => expect(smallTalkIn(text)).toBe('reply'));
it.each(listed(CONTENT))('has content: %s', (text) => expect(smallTalkIn(text)).toBeNull());

import { packOf } from '../../../language/packs/packs.ts';
import type { Event } from '../../../record/event.ts';
import { readStatement, type ReadInput, type ReadStatement } from '../reader.ts';
import { fillSlots } from './fill-slots.ts';

/** What an agent observed, decided or saw come of it: one statement each, in the words of the event. Tool results and documents give none. */
export function readObserved(event: Event, number: number, input: ReadInput): ReadStatement[] {
  const quotes = [{ turn: number, words: event.content }];
  if (event.kind === 'decision')
    return [readStatement({ text: event.content, type: 'decision', tense: 'happened', quotes, explicit: false })];
  if (event.kind === 'outcome')
    return [readStatement({ text: event.content, type: 'episode', tense: 'happened', quotes, explicit: false })];
  if (event.kind !== 'observation' || event.category === 'scaffold_update') return [];
  const english = packOf('en');
  const slot =
    english === null
      ? undefined
      : fillSlots(inFirstPerson(event.content), english, {
          now: event.occurredAt,
          timeZone: input.timeZone,
          prefer: 'future',
        })[0];
  // A value that the change of person has touched is not the observation's.
  const filled = slot !== undefined && event.content.includes(slot.value) ? slot : undefined;
  return [
    readStatement({
      subject: filled?.subject ?? 'User',
      attribute: filled?.attribute ?? (/^(?:the )?user prefers /i.test(event.content) ? 'preference' : null),
      value: filled?.value ?? /^(?:the )?user prefers (.{2,120}?)[.!]?$/i.exec(event.content)?.[1] ?? null,
      polarity: filled?.polarity ?? 'affirmed',
      tense: filled?.tense ?? 'holds',
      from: filled?.from?.toISOString() ?? null,
      type: event.category === 'preference' ? 'preference' : 'fact',
      text: event.content,
      quotes,
      explicit: false,
    }),
  ];
}

/** The patterns of slots speak in the first person: "User's wife is Ana" → "my wife is Ana". */
function inFirstPerson(content: string): string {
  return content
    .replace(/\b(?:the )?user['’]s\b/gi, 'my')
    .replace(/\b(?:the )?user is\b/gi, 'I am')
    .replace(/\b(?:the )?user has\b/gi, 'I have')
    .replace(/\b(?:the )?user\b/gi, 'I');
}

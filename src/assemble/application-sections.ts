import type { Attempt } from './attempt.ts';
import type { Asked, ContextOptions } from './context-options.ts';
import { dateLine } from './date-line.ts';
import type { GatherRequest } from './gather-request.ts';
import { overlap } from './intent.ts';
import { fieldItems } from './items.ts';
import { applicationItem, type Item, type Material } from './section.ts';

/** The data of the services that the question needs: no other is loaded. */
export async function serviceItems(asked: Asked, { services = {} }: ContextOptions, attempt: Attempt): Promise<Item[]> {
  const needed = asked.intent.services.filter((name) => Object.hasOwn(services, name));
  const load = async (name: string): Promise<Item[]> => {
    const service = services[name];
    const data = await service?.load(asked);
    if (data === null || data === undefined) return [];
    const score = (text: string): number => overlap(asked.intent, text);
    return fieldItems(data, { label: service?.title ?? name, trust: service?.trust ?? 'medium', score });
  };
  return (await Promise.all(needed.map((name) => attempt('services', () => load(name), [])))).flat();
}

/** The structured profile that the application has of the user. */
export async function profileItems(asked: Asked, { structuredProfile }: ContextOptions): Promise<Item[]> {
  const data = (await structuredProfile?.(asked)) ?? null;
  return data === null ? [] : fieldItems(data, { trust: 'medium', score: () => 0 });
}

/** The application's own text, the date and the message. */
export function ownText(
  { options, layout }: GatherRequest,
  { now, message, history }: { now: number; message: string; history: readonly Item[] },
): Material {
  const text = (value: string | undefined): Item[] =>
    value === undefined || value.trim() === '' ? [] : [applicationItem(value.trim())];
  const { identity, directives = [], artifacts = [] } = options;
  const said = message.trim() === '' ? [] : [{ ...applicationItem(message), label: 'user' }];
  return {
    instructions: text(options.instructions),
    capabilities: text(options.capabilities),
    identity: text([identity?.name, identity?.constitution].filter(Boolean).join('\n')),
    directives: directives.map(applicationItem),
    artifacts: artifacts.map(({ title, description }, index) => ({
      ...applicationItem(description === undefined ? title : `${title}: ${description}`),
      score: -index,
    })),
    date: text(dateLine(now, options.timeZone)),
    message: said,
    history: layout.history === 'text' ? [...history, ...said] : history,
  };
}

import { EXIT, listOption, numberOption, textOption, UsageError, type Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';
import type { KeyAccess } from '../../operate/api-key.ts';

/** API keys. */
export const keys: Command = {
  usage: 'keys [list | create <name> | rotate <id> | revoke <id> | acts]',
  help: 'Makes, lists, rotates and revokes the keys to the server. A secret is shown once and only its hash is kept. `acts` is the audit trail.',
  options: {
    access: { type: 'string', value: 'level', help: 'read, write (default) or admin' },
    'for-user': {
      type: 'string',
      multiple: true,
      value: 'name',
      help: 'reaches only this user; can be given more than once',
    },
    'for-agent': { type: 'string', multiple: true, value: 'name', help: 'reaches only this agent' },
    rate: { type: 'string', value: 'number', help: 'the most requests a second' },
    expires: { type: 'string', value: 'time', help: 'such as 2027-01-01' },
  },
  examples: [
    'varve keys create "my app"',
    'varve keys create ana --for-user ana --access write --rate 50',
    'varve keys revoke key_01k…',
  ],
  async run(input) {
    const [action = 'list', word] = input.words;
    const { tenant = 'default' } = scopeOf(input);
    return withMemory(input, {}, async (varve) => {
      const { keys: all, acts } = varve.operator;
      const shown = (made: Awaited<ReturnType<typeof all.create>>): Promise<void> =>
        input.output.answer(made, () => `${made.key.id}  ${made.key.access}\n${made.secret}\n(shown this once)`);
      if (action === 'list') {
        const items = await all.list(tenant);
        await input.output.answer({ items }, () =>
          table(
            items.map((key) => [
              key.id,
              key.access,
              key.revokedAt === null ? 'live' : 'revoked',
              key.createdAt.toISOString().slice(0, 10),
              key.name,
            ]),
          ),
        );
        if (items.length === 0) input.output.note('There are no keys: varve keys create <name>.');
      } else if (action === 'acts') {
        const { items } = await acts.list(tenant);
        await input.output.answer({ items }, () =>
          table(items.map(({ at, actor, act, subject }) => [at.toISOString().slice(0, 19), act, actor, subject ?? ''])),
        );
      } else if (word === undefined) {
        throw new UsageError('Say what: create <name>, rotate <id> or revoke <id>.');
      } else if (action === 'create') {
        const access = textOption(input, 'access') as KeyAccess | undefined;
        const users = listOption(input, 'for-user');
        const agents = listOption(input, 'for-agent');
        await shown(
          await all.create(
            tenant,
            {
              name: word,
              access,
              users,
              agents,
              rate: numberOption(input, 'rate'),
              expiresAt: textOption(input, 'expires'),
            },
            'cli',
          ),
        );
      } else if (action === 'rotate') await shown(await all.rotate(tenant, word, 'cli'));
      else if (action === 'revoke') {
        const key = await all.revoke(tenant, word, 'cli');
        await input.output.answer(key, () => `${key.id} is revoked.`);
      } else throw new UsageError(`There is no keys ${action}.`);
      return EXIT.ok;
    });
  },
};

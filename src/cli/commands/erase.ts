import { createInterface } from 'node:readline/promises';
import { EXIT, UsageError, type Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';
import { ownerKey } from '../../record/scope.ts';

/** Removes everything of a scope for good. */
export const erase: Command = {
  usage: 'erase --user <name> [--session <name>] [--yes]',
  help: 'Removes everything within the scope for good: events, memories, versions, blocks, vectors, queued work. Asks for the name again, unless --yes is given.',
  options: { yes: { type: 'boolean', help: 'do not ask' } },
  examples: ['varve erase --user ana', 'varve erase --user ana --session today --yes'],
  async run(input) {
    const scope = scopeOf(input);
    const name = scope.session ?? scope.user ?? scope.agent ?? scope.tenant ?? '';
    if (input.options['yes'] !== true) {
      if (!process.stdin.isTTY) throw new UsageError('Erasing needs --yes where nobody can be asked.');
      if ((await asked(name)) !== name) {
        input.output.note('Nothing was erased.');
        return EXIT.failed;
      }
    }
    await withMemory(input, {}, async (varve) => {
      const handle = varve.for(scope);
      const { certificate, ...erased } = await handle.erase({ actor: 'cli' });
      await varve.operator.acts.record({
        tenant: handle.scope.tenant,
        actor: 'cli',
        act: 'erase',
        subject: ownerKey(handle.scope),
      });
      await input.output.answer({ ...erased, certificate }, () =>
        table(Object.entries(erased).map(([what, count]) => [what, String(count)])),
      );
    });
    return EXIT.ok;
  },
};

/** What is typed, or nothing: Ctrl-C is an answer too. */
async function asked(name: string): Promise<string | null> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await asking.question(
      `Everything of ${JSON.stringify(name)} will be gone for good. Type the name to go on: `,
    );
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    process.stderr.write('\n');
    return null;
  } finally {
    asking.close();
  }
}

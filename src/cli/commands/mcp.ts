import { type Command, textOption, version } from '../command.ts';
import { openMemory, scopeOf } from '../open-memory.ts';

/** Serves MCP to the program that started it. */
export const mcp: Command = {
  usage: 'mcp [--read-only] [--tools set] | mcp --print-config',
  help: 'Serves MCP on standard input and output: the agent’s tools, memories and blocks as resources, prompts for recall and remember. Editors and chat clients start it themselves; `varve setup` writes their settings, and --print-config prints them.',
  options: {
    'print-config': { type: 'boolean', help: 'print the settings of common clients' },
    'read-only': { type: 'boolean', help: 'offer only tools that change nothing' },
    tools: { type: 'string', value: 'names', help: 'everyday (default), all, or names of tools with commas' },
  },
  examples: ['varve mcp --print-config', 'varve mcp --user ana', 'varve mcp --read-only'],
  async run(input) {
    if (input.options['print-config'] === true) {
      const { clientConfigs, configText } = await import('../setup/server-command.ts');
      const configs = clientConfigs(input);
      await input.output.answer(configs, () => configText(configs));
      return;
    }
    const [{ mcpOverStdio }, { toolsNamed }] = await Promise.all([
      import('../../mcp/mcp-over-stdio.ts'),
      import('../../tools/agent-tools.ts'),
    ]);
    const tools = toolsNamed(textOption(input, 'tools'));
    const varve = await openMemory(input, { embeds: 'all', background: true });
    await mcpOverStdio(varve, {
      scope: scopeOf(input),
      version: version(),
      readOnly: input.options['read-only'] === true,
      tools,
    });
    await varve.close();
  },
};

import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { REQUIREMENTS } from './requirements.ts';
import { titleWithoutIds } from './written-tests.ts';

/**
 * Fails a run in which a file ran but a test in it that the table of requirements names did not pass, because a skipped test proves
 * nothing. A run of single tests by their title (`-t`) and the quick run, which skips rows of tables, are not judged.
 */
export default class RequirementReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#vitest?.config.testNamePattern !== undefined || this.#vitest?.config.mode === 'quick') return;
    const ran = new Map(modules.map((module) => [module.relativeModuleId, module]));
    for (const [id, { cases }] of REQUIREMENTS) {
      for (const { file, test } of cases) {
        const module = ran.get(file);
        if (module === undefined || passes(module, test)) continue;
        process.stdout.write(`Requirement ${id} is not proven by this run: “${test}” in ${file} did not pass.\n`);
        process.exitCode = 1;
      }
    }
  }
}

/** Whether a test with this title passed for at least one set of parameters. */
function passes(module: TestModule, title: string): boolean {
  const pattern = new RegExp(
    `^${title
      .split(/%[a-zA-Z]|\$\{[^}]*\}|\$[\w.]+/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );
  for (const test of module.children.allTests('passed')) if (pattern.test(titleWithoutIds(test.name))) return true;
  return false;
}

#!/usr/bin/env -S node --min-semi-space-size=16 --max-semi-space-size=16
import { isNodeNewEnough, nodeProblem } from '../varve-options.ts';
import { runCommand } from './run-command.ts';

if (isNodeNewEnough()) process.exitCode = await runCommand(process.argv.slice(2));
else {
  process.stderr.write(`${nodeProblem()}\n`);
  process.exitCode = 1;
}

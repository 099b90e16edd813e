#!/usr/bin/env -S node --min-semi-space-size=16 --max-semi-space-size=16
import { isNodeNewEnough, NODE_NEEDED } from './node-version.ts';
import { runCommand } from './run-command.ts';

if (isNodeNewEnough()) process.exitCode = await runCommand(process.argv.slice(2));
else {
  process.stderr.write(`Varve needs Node ${NODE_NEEDED} or newer, and this is ${process.versions.node}: nodejs.org.\n`);
  process.exitCode = 1;
}

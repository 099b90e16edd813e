#!/usr/bin/env -S node --max-semi-space-size=16
import { enableCompileCache } from 'node:module';
import { runCommand } from './run-command.ts';

// Most of the time of a short command is spent on loading code: compiled once, it is read from a cache.
enableCompileCache();
process.exitCode = await runCommand(process.argv.slice(2));

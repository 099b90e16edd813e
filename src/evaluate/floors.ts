import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { invalidInput, messageOf } from '../errors.ts';
import { figuresOf } from './figures.ts';
import { METRICS } from './row.ts';
import type { Run } from './run-file.ts';

/** The worst acceptable value of a metric: a minimum if higher is better, a maximum if lower is better. */
export interface Floor {
  metric: string;
  floor: number;
  /** Default `all`. */
  arm?: string;
}

/** A floor that a run has missed. */
export interface MissedFloor extends Floor {
  /** NaN if the run has not measured the metric. This counts as missed, because a gate must not pass without a measurement. */
  value: number;
}

const floorsSchema = z.record(z.string(), z.number());

/** Reads a file such as `{ "kept": 0.7, "stale": 0.6 }`. */
export function readFloors(file: string): Floor[] {
  let floors: Record<string, number>;
  try {
    floors = floorsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw invalidInput(`${file} is not a file of floors, such as { "kept": 0.7 }: ${messageOf(cause)}`);
  }
  const unknown = Object.keys(floors).find((metric) => METRICS[metric] === undefined);
  if (unknown !== undefined)
    throw invalidInput(`There is no metric ${unknown} (${file}). Give one of: ${Object.keys(METRICS).join(', ')}.`);
  return Object.entries(floors).map(([metric, floor]) => ({ metric, floor }));
}

/** Returns the floors that a run has missed. */
export function checkFloors(run: Run, floors: readonly Floor[]): MissedFloor[] {
  const figures = figuresOf(run);
  return floors.flatMap((floor) => {
    const value =
      figures.find(({ metric, arm }) => metric === floor.metric && arm === (floor.arm ?? 'all'))?.mean ?? Number.NaN;
    const isMet = METRICS[floor.metric]?.better === 'lower' ? value <= floor.floor : value >= floor.floor;
    return isMet ? [] : [{ ...floor, value }];
  });
}

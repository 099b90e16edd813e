import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerReply, WorkerSetup, WorkerTask } from './embed-worker.ts';
import type { TextPart } from './encoder.ts';
import { allocateMemory, type SharedMemory } from './kernel.ts';
import { layoutMemory, type MemoryLayout, MODEL, PART_SIZE, PHASES, TEXTS_PER_TASK } from './memory-layout.ts';
import { packageFolder } from './weights.ts';

export interface PoolText {
  readonly ids: readonly number[];
  /** At most {@link TEXTS_PER_TASK} parts and words. The reader returns `PART_SIZE` numbers for each of them instead of a vector. */
  readonly parts?: readonly TextPart[];
  resolve(vector: Float32Array): void;
  reject(error: unknown): void;
}

export interface WorkerPool {
  /** An urgent text is processed before all others. */
  add(text: PoolText, options: { isUrgent: boolean }): void;
  /** Texts that a worker is already processing are not affected. */
  remove(texts: ReadonlySet<PoolText>): void;
  /** Rejects queued, running and later texts with `reason`. */
  close(reason: unknown): Promise<void>;
}

/** About 20 ms on one thread. Limits how long an urgent text has to wait. */
const TOKENS_PER_TASK = 128;

/** A shorter text is faster on one thread than shared between several. */
const TOKENS_WORTH_SHARING = 12;

interface Lane {
  readonly index: number;
  readonly worker: Worker;
  task: RunningTask | null;
}

interface RunningTask {
  readonly texts: readonly PoolText[];
  readonly workspace: number;
  readonly isShared: boolean;
  readonly startedAt: number;
}

/** If an application has bundled this code, the thread's file is in the installed package. */
function workerFile(): string {
  const folder: string | undefined = import.meta.dirname;
  const beside = ['embed-worker.ts', 'embed-worker.js'].map((name) => join(folder ?? '', name));
  const found = folder === undefined ? undefined : beside.find((file) => existsSync(file));
  return found ?? join(packageFolder(), 'dist/models/local-embedder/embed-worker.js');
}

interface PoolOptions {
  threads: number;
  maximumTokens: number;
  weightsFolder: string;
  onFailure: (error: unknown) => void;
}

export class ThreadPool implements WorkerPool {
  readonly #options: PoolOptions;
  readonly #layout: MemoryLayout;
  readonly #memory: SharedMemory;
  readonly #int32: Int32Array;
  readonly #lanes: readonly Lane[];
  readonly #sharing = createSharingChoice();
  #urgent: PoolText[] = [];
  #others: PoolText[] = [];
  #waitingFor: number;
  #closeReason: { error: unknown } | null = null;

  constructor(options: PoolOptions) {
    const { threads, maximumTokens } = options;
    this.#options = options;
    this.#layout = layoutMemory({ maximumTokens, workspaces: threads });
    this.#memory = allocateMemory(this.#layout.bytes);
    this.#int32 = new Int32Array(this.#memory.buffer);
    this.#waitingFor = threads;
    const file = workerFile();
    this.#lanes = Array.from({ length: threads }, (_, index) => this.#startThread(file, index));
  }

  add(text: PoolText, { isUrgent }: { isUrgent: boolean }): void {
    if (this.#closeReason !== null) {
      text.reject(this.#closeReason.error);
      return;
    }
    (isUrgent ? this.#urgent : this.#others).push(text);
    // Texts that arrive together are dispatched together: threads share a text only if fewer texts are waiting than threads are idle.
    if (this.#urgent.length + this.#others.length === 1) queueMicrotask(() => this.#dispatchAndKeepAlive());
  }

  remove(texts: ReadonlySet<PoolText>): void {
    this.#urgent = this.#urgent.filter((text) => !texts.has(text));
    this.#others = this.#others.filter((text) => !texts.has(text));
    this.#keepProcessAlive();
  }

  async close(reason: unknown): Promise<void> {
    this.#closeReason = { error: reason };
    const open = [...this.#urgent, ...this.#others, ...this.#lanes.flatMap((lane) => lane.task?.texts ?? [])];
    this.#urgent = [];
    this.#others = [];
    for (const text of open) text.reject(reason);
    // Without ref(), a program that awaits close() would exit before the threads have ended.
    for (const { worker } of this.#lanes) worker.ref();
    await Promise.all(this.#lanes.map(({ worker }) => worker.terminate()));
  }

  #startThread(file: string, index: number): Lane {
    const { threads, maximumTokens, weightsFolder } = this.#options;
    const weights = index === 0 ? { weightsFolder } : {};
    const setup: WorkerSetup = { memory: this.#memory, maximumTokens, workspaces: threads, ...weights };
    // The program's flags are not passed on, because a worker refuses some of them, such as --input-type.
    const worker = new Worker(file, { workerData: setup, name: `varve-embedder-${index}`, execArgv: [] });
    const lane: Lane = { index, worker, task: null };
    worker.on('message', (reply: WorkerReply) => this.#receive(lane, reply));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', (code) => this.#fail(new Error(`The embedding thread ended with code ${code}.`)));
    worker.unref();
    return lane;
  }

  #fail(error: unknown): void {
    if (this.#closeReason === null) this.#options.onFailure(error);
  }

  #receive(lane: Lane, reply: WorkerReply): void {
    if (this.#closeReason !== null) return;
    if (reply.type === 'failed') this.#fail(new Error(reply.message));
    if (reply.type === 'ready') this.#waitingFor--;
    if (reply.type === 'done') {
      const task = lane.task;
      lane.task = null;
      if (task && reply.vectors) this.#deliver(task);
    }
    this.#dispatchAndKeepAlive();
  }

  #deliver({ texts, workspace, isShared, startedAt }: RunningTask): void {
    const tokens = texts.reduce((sum, { ids }) => sum + ids.length, 0);
    this.#sharing.record({ isShared, milliseconds: performance.now() - startedAt, tokens });
    const start = this.#layout.workspaces[workspace]?.vectors ?? 0;
    for (const [slot, { parts, resolve }] of texts.entries()) {
      const size = parts === undefined ? MODEL.hidden : parts.length * PART_SIZE;
      resolve(new Float32Array(this.#memory.buffer, start + slot * size * 4, size).slice());
    }
  }

  #dispatch(): void {
    while (this.#waitingFor === 0) {
      const idle = this.#lanes.filter((lane) => !lane.task && !this.#isWorkspaceBusy(lane.index));
      const queue = this.#urgent.length > 0 ? this.#urgent : this.#others;
      const leader = idle[0];
      const next = queue[0];
      if (!leader || !next) return;
      const waiting = this.#urgent.length + this.#others.length;
      const isShared = waiting < idle.length && next.ids.length >= TOKENS_WORTH_SHARING && this.#sharing.shouldShare();
      const team = isShared ? idle.slice(0, Math.floor(idle.length / waiting)) : [leader];
      const texts = isShared ? queue.splice(0, 1) : this.#takeTask(queue, Math.ceil(waiting / idle.length));
      this.#start(team, { texts, workspace: leader.index, isShared, startedAt: performance.now() });
    }
  }

  /** A workspace is busy until every thread of its last task has released it. */
  #isWorkspaceBusy(workspace: number): boolean {
    return this.#lanes.some((lane) => lane.task?.workspace === workspace);
  }

  #takeTask(queue: PoolText[], maximumTexts: number): PoolText[] {
    let tokens = 0;
    let count = 0;
    for (const { ids, parts } of queue) {
      tokens += ids.length + (ids.length & 1);
      if (parts !== undefined) return queue.splice(0, Math.max(1, count));
      const isFull = count > 0 && tokens > Math.min(TOKENS_PER_TASK, this.#options.maximumTokens);
      if (isFull || count === Math.min(maximumTexts, TEXTS_PER_TASK)) break;
      count++;
    }
    return queue.splice(0, count);
  }

  #start(team: readonly Lane[], task: RunningTask): void {
    const workspace = this.#layout.workspaces[task.workspace];
    if (!workspace) throw new RangeError(`There is no workspace ${task.workspace}.`);
    this.#int32.fill(0, workspace.progress / 4, workspace.progress / 4 + PHASES * 2);
    let place = workspace.ids / 4;
    for (const { ids } of task.texts) {
      this.#int32.set(ids, place);
      place += ids.length;
      if (ids.length & 1) this.#int32[place++] = 0;
    }
    const message: WorkerTask = {
      workspace: task.workspace,
      lengths: task.texts.map(({ ids }) => ids.length),
      parts: team.length,
      textParts: task.texts[0]?.parts,
    };
    for (const lane of team) {
      lane.task = task;
      lane.worker.postMessage(message);
    }
  }

  #dispatchAndKeepAlive(): void {
    this.#dispatch();
    this.#keepProcessAlive();
  }

  /** Lets a finished program exit while threads are idle, but not while they are busy. */
  #keepProcessAlive(): void {
    const isBusy = this.#urgent.length + this.#others.length > 0 || this.#lanes.some((lane) => lane.task);
    for (const { worker } of this.#lanes) {
      if (isBusy) worker.ref();
      else worker.unref();
    }
  }
}

interface SharingChoice {
  shouldShare(): boolean;
  record(text: { isShared: boolean; milliseconds: number; tokens: number }): void;
}

const WEIGHT = 0.3;

/** One text in this many is encoded in the slower way, to detect whether that way has become faster. */
const TRIAL_EVERY = 64;

/** With free cores, sharing a text halves its time. If other programs keep the cores busy, sharing takes longer than one thread. */
export function createSharingChoice(): SharingChoice {
  const cost = { shared: 0, alone: Number.POSITIVE_INFINITY };
  let asked = 0;
  return {
    shouldShare() {
      asked++;
      const isBetter = cost.shared <= cost.alone;
      return asked % TRIAL_EVERY === 0 ? !isBetter : isBetter;
    },
    record({ isShared, milliseconds, tokens }) {
      const way = isShared ? 'shared' : 'alone';
      const latest = milliseconds / tokens;
      const before = cost[way];
      const isFirst = before === 0 || before === Number.POSITIVE_INFINITY;
      cost[way] = isFirst ? latest : before + WEIGHT * (latest - before);
    },
  };
}

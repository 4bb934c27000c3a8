import type { Cancel } from "@framebatch/host/clock.js";
import { asError } from "@framebatch/batcher/errors/errors.js";
import { type Agreement, disagreement } from "@framebatch/rows/tensor/agreement.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";
import type { BatchRunner } from "../engine/model-engine.js";
import type { AnsweredRows } from "@framebatch/rows/collate/sent-rows.js";
import type { PendingRun, Run, RunResult } from "../workers/run.js";
import type { WorkerClient } from "../workers/worker-client.js";
import { WayStretch } from "./way-stretch.js";
import type { WayTrial, WayVerdict } from "./way-trial.js";

/** A batch may take this many times as long as predicted, and this many milliseconds. Then it runs on the model's own way. */
const PATIENCE = { runs: 4, ms: 50 };

/** After this silence in a run, another way counts as hung, in milliseconds. It may still compile. */
const HUNG_MS = 30_000;

/** How long the check of batches may take on another way, in milliseconds. Some checks need other items than come. */
const UNTRUSTED_MS = 30_000;

/** Least time between rounds, in milliseconds: the first batches after each change of the way are late. */
const PAUSE_MS = 2000;

/**
 * Time between rounds, as a multiple of the time that the last one took: if it was harmless, and if it was a loss or a
 * comparison. A harmless one costs the visitor nothing: the pause only lets the model's own way settle. The others may
 * delay one answer in a hundred, so that the 99th percentile stays.
 */
const PAUSES = { harmless: 1, loss: 100 };

/**
 * The first rounds, and then one of so many, begin with a comparison. The two runs of a comparison share the processors,
 * so that each costs the visitor more than the rest of a round.
 */
const COMPARED = { first: 3, every: 4 };

/** What a comparison reads of a reply. Results of handlers are no `outputs`. */
export interface ComparedReply {
  readonly inferenceMs: number;
  readonly outputs?: AnsweredRows;
}

/** Whether a batch gives the same answers as its items one by one, as far as is known; and why not. */
export type Trust = "yes" | "not yet" | { readonly no: string };

/** A worker on another way. */
export interface OtherWorker {
  readonly client: WorkerClient;
  /** Returns whether the page's batches may run there. */
  readonly trust: () => Trust;
  /** Ends the worker. */
  close(): void;
}

export interface WayRoundsConfig {
  readonly trial: WayTrial;
  readonly worker: OtherWorker;
  /** Returns whether a trial may take time now. */
  readonly mayMeasure: () => boolean;
  readonly agreement: Agreement;
  readonly timer: Timer;
  /** Called after each round without a verdict. */
  readonly onRound: () => void;
  /** Called once; the worker has ended, or ends with its last run. */
  readonly onEnd: (verdict: WayVerdict) => void;
}

/**
 * Measures another way in rounds. Many rounds begin with a batch that the model has answered: it runs on the other way,
 * too, and the answers are compared. If they agree, the next batches run on the other way alone, until they tell how long
 * it takes. The time of the model's own way is that of the batches just before. So both are measured as a visitor feels
 * them, and no request waits for a measurement. What the other way fails to answer in time runs on the model's own.
 */
export class WayRounds {
  readonly #config: WayRoundsConfig;
  readonly #openedAtMs: number;
  #own = new WayStretch("ran");
  /** Time of the page for each item on the model's own way; `null` before it is known. */
  #ownMs: number | null = null;
  /** The batches of this round on the other way; `null` between rounds. */
  #other: WayStretch | null = null;
  /** Whether no round has told yet how fast the other way is once its code is optimized. */
  #isNew = true;
  /** Whether the last round ended with a batch that was not answered in time. */
  #wasLate = false;
  /** Number of comparisons in which the answers agreed. */
  #agreed = 0;
  #dueAtMs = -Infinity;
  #running = 0;
  #isOver = false;

  constructor(config: WayRoundsConfig) {
    this.#config = config;
    this.#openedAtMs = config.timer.now();
  }

  /** Runs a batch, on one of the two ways. */
  run(batch: Run, pool: BatchRunner): Promise<RunResult> {
    const doubt = this.#doubt;
    if (doubt !== null) this.#end(this.#config.trial.failed(doubt));
    if (this.#other !== null && !this.#config.mayMeasure()) this.#leave(PAUSE_MS);
    return this.#other === null ? this.#runOnOwn(batch, pool) : this.#runOnOther(batch, pool, this.#other);
  }

  /** Why no batch will run on the other way; `null` if one may. */
  get #doubt(): string | null {
    const { worker, timer } = this.#config;
    const trust = worker.trust();
    if (typeof trust === "object") return trust.no;
    const isLate = trust === "not yet" && timer.now() - this.#openedAtMs > UNTRUSTED_MS;
    return isLate ? "whether its batches give the answers of single items was not known in time" : null;
  }

  /** Ends the measurement without a verdict. */
  close(): void {
    this.#isOver = true;
    this.#other = null;
    if (this.#running === 0) this.#config.worker.close();
  }

  async #runOnOwn(batch: Run, pool: BatchRunner): Promise<RunResult> {
    const { timer } = this.#config;
    const sentAtMs = timer.now();
    const wasAlone = this.#running === 0;
    const result = await pool.run(batch);
    if (!result.ok || this.#isOver || this.#other !== null) return result;
    // A run on the other way takes processors from this one.
    if (!wasAlone || this.#running > 0) return result;
    this.#own.add({ items: batch.size, sentAtMs, answeredAtMs: timer.now() });
    if (this.#own.isWhole) {
      this.#ownMs = this.#own.msPerItem;
      this.#own = new WayStretch("ran");
    }
    if (!this.#isDue) return result;
    if (this.#mustCompare) void this.#compare(batch, result.reply);
    else this.#begin();
    return result;
  }

  get #mustCompare(): boolean {
    const rounds = this.#config.trial.gains.length;
    return this.#agreed < COMPARED.first || rounds % COMPARED.every === 0;
  }

  #begin(): void {
    this.#other = new WayStretch(this.#isNew ? "new" : "rested");
  }

  get #isDue(): boolean {
    const { timer, mayMeasure, worker } = this.#config;
    const isReady = this.#ownMs !== null && timer.now() >= this.#dueAtMs;
    return isReady && worker.trust() === "yes" && mayMeasure();
  }

  /** Runs an answered batch on the other way. The first one does not begin a round: the other way compiles its code. */
  async #compare(batch: Run, own: ComparedReply): Promise<void> {
    const { timer, trial, agreement } = this.#config;
    // The callers own the outputs from now on, and may change or transfer them meanwhile.
    const expected = structuredClone(own.outputs);
    const sinceMs = timer.now();
    const other = await this.#attempt(batch);
    if (this.#isOver || other === null) return;
    // The first run compiles, but only once.
    this.#pause(this.#agreed === 0 ? PAUSE_MS : pauseAfter(timer.now() - sinceMs, PAUSES.loss));
    const { outputs }: ComparedReply = other.reply;
    if (expected === undefined || outputs === undefined) return;
    const differs = disagreement(expected, outputs, agreement);
    if (differs !== null) return this.#end(trial.differs(differs));
    this.#agreed += 1;
    if (this.#agreed > 1) this.#begin();
  }

  async #runOnOther(batch: Run, pool: BatchRunner, stretch: WayStretch): Promise<RunResult> {
    const { timer, trial } = this.#config;
    const sentAtMs = timer.now();
    const limitMs = PATIENCE.runs * (batch.predictedMs ?? batch.size * (this.#ownMs ?? 0)) + PATIENCE.ms;
    const result = await inTime(this.#attempt(batch), limitMs, timer);
    if (result === "late" && this.#other === stretch) this.#endLate(limitMs);
    if (result === null || result === "late") return pool.run(batch);
    trial.ran(batch.size, result.reply.inferenceMs);
    if (this.#other !== stretch) return result;
    stretch.add({ items: batch.size, sentAtMs, answeredAtMs: timer.now() });
    const gain = (this.#ownMs ?? 0) / stretch.msPerItem;
    const isOver = stretch.isWhole || (stretch.isTelling && trial.expectsLoss(gain));
    if (!isOver) return result;
    this.#isNew = false;
    this.#endRound(gain, stretch.tookMs);
    return result;
  }

  /** One late batch is a stall; the round says nothing. With two in a row, the other way is that slow. */
  #endLate(limitMs: number): void {
    if (this.#wasLate) return this.#endRound(0, limitMs);
    this.#wasLate = true;
    this.#leave(pauseAfter(limitMs, PAUSES.loss));
  }

  /** Runs a batch on the other way. Returns `null` if that fails, which ends the trial. */
  async #attempt(batch: Run): Promise<Extract<RunResult, { readonly ok: true }> | null> {
    const { worker, trial } = this.#config;
    const run: PendingRun = { timeoutMs: HUNG_MS, isDivided: false };
    this.#running += 1;
    try {
      const result = await batch.runOn(worker.client, run);
      if (result.ok) return result;
      this.#end(trial.failed(asError(result.error).message));
    } catch (error) {
      this.#end(trial.failed(asError(error).message));
    } finally {
      this.#running -= 1;
      if (this.#isOver && this.#running === 0) worker.close();
    }
    return null;
  }

  /** @param tookMs how long the visitor's batches ran on the other way */
  #endRound(gain: number, tookMs: number): void {
    const { trial, onRound } = this.#config;
    this.#wasLate = gain === 0;
    const verdict = trial.add(gain);
    this.#leave(pauseAfter(tookMs, trial.isHarmless ? PAUSES.harmless : PAUSES.loss));
    if (verdict === null) onRound();
    else this.#end(verdict);
  }

  /** Lets the model's own way run the next batches. It is cold. */
  #leave(pauseMs: number): void {
    this.#other = null;
    this.#own = new WayStretch("rested");
    this.#ownMs = null;
    this.#pause(pauseMs);
  }

  /** Pauses follow each other: a round may follow a comparison at once. */
  #pause(ms: number): void {
    this.#dueAtMs = Math.max(this.#dueAtMs, this.#config.timer.now()) + ms;
  }

  #end(verdict: WayVerdict): void {
    if (this.#isOver) return;
    this.close();
    this.#config.onEnd(verdict);
  }
}

function pauseAfter(tookMs: number, times: number): number {
  return Math.max(PAUSE_MS, tookMs * times);
}

/** Returns what `attempt` resolves to, or "late" after `limitMs`. */
async function inTime<Value>(attempt: Promise<Value>, limitMs: number, timer: Timer): Promise<Value | "late"> {
  let cancel: Cancel = () => undefined;
  const late = new Promise<"late">((resolve) => (cancel = after(limitMs, () => resolve("late"), timer)));
  try {
    return await Promise.race([attempt, late]);
  } finally {
    cancel();
  }
}

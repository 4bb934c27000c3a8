import type { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import { asError } from "@framebatch/batcher/errors/errors.js";
import { Deadline } from "@framebatch/host/deadline.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";
import type { AnsweredRows } from "@framebatch/rows/collate/sent-rows.js";
import { disagreement } from "@framebatch/rows/tensor/agreement.js";
import type { BatchRunner } from "../../client/engine/model-engine.js";
import type { LoadPlan, ModelSession, openSession } from "../../client/workers/model-session.js";
import type { Run, RunResult, Success } from "../../client/workers/pending-runs.js";
import type { WorkerPool } from "../../client/workers/worker-pool.js";
import type { MeasuredWay } from "../../transport/protocol.js";
import { WayRounds, WayTurn } from "./way-rounds.js";

/**
 * A batch may take this many times as long as predicted, and this many milliseconds. Then it runs on the model's own
 * way.
 */
const PATIENCE = { runs: 4, ms: 50 };

/**
 * After this time in milliseconds, a silent worker counts as hung: it may still compile. After as long, the check of
 * batches is given up, since some checks need other items than come, and so is a trial without requests: the other
 * worker holds memory, and no other model or page may try a way.
 */
const GIVE_UP_MS = 30_000;

/**
 * After this time in milliseconds, a trial ends without a verdict: it has few requests, and the other worker holds
 * memory.
 */
const MOST_MS = 300_000;

/** Turns of the microtasks in which callers ask again, as for a burst of requests. */
const BURST_TURNS = 16;

/** Number of batches whose answers must agree before the other way answers any request. */
const COMPARED = 3;

/** How many times as long as usual the turns of the model's own way are while the other one seems slow. */
const LONG_TURN = 32;

const NOTHING_LEARNED: CostModelData = { version: 1, shapes: [] };

export type WayVerdict = Pick<MeasuredWay, "reason" | "agrees" | "msPerItem"> & { readonly isFaster: boolean };

/** What a model gives to the comparison of its ways. */
export interface ComparedModel {
  readonly pool: Pick<WorkerPool, "run" | "session" | "state" | "changeWay">;
  readonly plan: LoadPlan;
  /** How long it took to load without its download, in milliseconds. */
  readonly loadMs: number;
  readonly batcher: () => Pick<Batcher<unknown, unknown>, "inFlight" | "costData" | "pause" | "restore" | "resume">;
  /** `openSession`. An import of it here would divide the code of a page that loads this later. */
  readonly open: typeof openSession;
}

export interface WayTrialConfig {
  readonly model: ComparedModel;
  /** A session on the other way. */
  readonly other: Pick<ModelSession, "client" | "batchCheck">;
  /** Runs batches on the model's own way. */
  readonly own: BatchRunner;
  readonly timer: Timer;
  /** Asked before the other way runs anything. The trial ends if it may not. */
  readonly mayTry: () => boolean;
  /** Called when nothing will run in the other worker any more; with `null` if the trial has been cut short. */
  readonly onEnd: (verdict: WayVerdict | null) => void;
}

/**
 * Whether a batch may run in another worker. One that may be at fault itself must run where somebody waits for its end.
 */
export function mayMove({ isStep, mayRepeat }: Run): boolean {
  return !isStep && mayRepeat;
}

/**
 * Compares another way to run a model with its own by the requests of the page. First, some batches that the model has
 * answered run on the other way, too, and the answers must agree. Then the ways take turns. Each answers batches of its
 * own sizes, by its own run times, and no run of one overlaps with one of the other: the batcher is paused between
 * turns until no batch is in flight. What the other way does not answer in time runs on the model's own.
 */
export class WayTrial {
  readonly #config: WayTrialConfig;
  readonly #rounds: WayRounds;
  readonly #msPerItem: Record<number, number> = {};
  /** The run times of the way whose turn it is not. The batcher has the others. */
  #costs = NOTHING_LEARNED;
  #isOthersTurn = false;
  #isOthersNext = false;
  #isPaused = false;
  #turn = new WayTurn();
  /** Time of the model's own way for an answer in this round, in milliseconds. */
  #ownMs = 0;
  #agreed = 0;
  /** Number of runs in the other worker. */
  #running = 0;
  #isIdle = false;
  /** Set when the trial is over. */
  #end: { readonly verdict: WayVerdict | null } | null = null;

  constructor(config: WayTrialConfig) {
    this.#config = config;
    this.#rounds = new WayRounds(config.timer.now());
    this.#closeInTime();
  }

  /** The run times of the model's own way. */
  get ownCosts(): CostModelData {
    return this.#isOthersTurn ? this.#costs : this.#config.model.batcher().costData();
  }

  /** Whether the batcher has the run times of the way whose turn is next. */
  get isSettled(): boolean {
    return this.#isOthersNext === this.#isOthersTurn;
  }

  /** Runs a batch on one of the two ways. */
  async run(batch: Run): Promise<RunResult> {
    const { own, timer } = this.#config;
    if (this.#end !== null) return own.run(batch);
    if (!mayMove(batch)) {
      // It takes processors from what is measured.
      this.#setTurn(false);
      return own.run(batch);
    }
    this.#isIdle = false;
    if (this.#isOthersTurn) return this.#runOnOther(batch);
    const sentAtMs = timer.now();
    const result = await own.run(batch);
    if (!result.ok || this.#end !== null || this.#isOthersNext) return result;
    if (this.#running > 0) this.#setTurn(false);
    else if (this.#agreed < COMPARED)
      void this.#compare(batch, result.reply).catch((error) => this.#conclude(asError(error).message));
    else this.#ranOnOwn(this.#turn.add(batch.size, sentAtMs, timer.now()));
    return result;
  }

  /** Called when a batch has ended, and the batcher has learned from it. */
  batchEnded(): void {
    if (!this.isSettled) this.#setTurn(this.#isOthersNext);
  }

  /** The model has changed to the other way, which is its own from now on. */
  adopt(): void {
    this.#isOthersTurn = !this.#isOthersTurn;
    this.#setTurn(false);
  }

  /** Ends the trial. @param verdict `null` if there is none */
  close(verdict: WayVerdict | null = null): void {
    if (this.#end !== null) return;
    this.#end = { verdict };
    if (this.#running === 0) this.#config.onEnd(verdict);
    this.#setTurn(false);
  }

  #closeInTime(): void {
    const look = () => {
      if (this.#isIdle || this.#config.timer.now() - this.#rounds.sinceMs > MOST_MS) this.close();
      if (this.#end === null) this.#closeInTime();
    };
    this.#isIdle = true;
    after(GIVE_UP_MS, look, this.#config.timer);
  }

  #setTurn(isOthers: boolean): void {
    const batcher = this.#config.model.batcher();
    this.#turn = new WayTurn(!isOthers && this.#rounds.seemsSlow ? LONG_TURN : 1);
    this.#isOthersNext = isOthers;
    if (!this.isSettled && batcher.inFlight > 0) {
      this.#isPaused = true;
      return batcher.pause();
    }
    // The batcher goes on before anything that may throw, so that no request waits for ever.
    if (this.#isPaused) void this.#resume();
    if (this.isSettled) return;
    this.#isOthersTurn = isOthers;
    const costs = batcher.costData();
    batcher.restore(this.#costs);
    // What a way took while its code was compiled is forgotten: it would decide the sizes of hundreds of batches.
    this.#costs = !isOthers && this.#rounds.isWarming ? NOTHING_LEARNED : costs;
  }

  /** Lets the batcher go on once the callers of the last answers have asked again: their requests are one batch. */
  async #resume(): Promise<void> {
    for (let turn = 0; turn < BURST_TURNS; turn += 1) await Promise.resolve();
    if (!this.isSettled) return;
    this.#isPaused = false;
    const { pool, batcher } = this.#config.model;
    // While it has no worker, a model pauses its batcher, and lets it go on itself.
    if (pool.state !== "recovering" && pool.state !== "unloaded") batcher().resume();
  }

  /** Whether batches may run on the other way now. Ends the trial if it must. */
  #mayRun(): boolean {
    const { model, other, timer, mayTry } = this.#config;
    if (!mayTry()) this.close();
    if (this.#end !== null) return false;
    const { outcome, reason } = other.batchCheck();
    const own = model.pool.session.batchCheck().outcome;
    const isLate = timer.now() - this.#rounds.sinceMs > GIVE_UP_MS;
    // It is trusted no less than the own way, which may have the page send only single items, or run all unchecked.
    if (outcome === "passed" || own === "failed" || (outcome === "skipped" && own === "skipped")) return true;
    if (outcome !== "inconclusive") this.#conclude(reason);
    else if (isLate) this.#conclude("whether its batches give the answers of single items was not known in time");
    return false;
  }

  /** Runs an answered batch on the other way, for whose answer nobody waits. */
  async #compare(batch: Run, own: Success): Promise<void> {
    if (!this.#mayRun()) return;
    // The callers own the outputs from now on, and may change or transfer them meanwhile.
    const expected = structuredClone(outputsOf(own));
    const result = await this.#attempt(batch);
    if (this.#end !== null || result === null) return;
    if (!result.ok) return this.#conclude(result.error.message);
    const differs = disagreement(expected, outputsOf(result.reply), this.#config.model.plan.request.agreement);
    if (differs === null) this.#agreed += 1;
    else this.#conclude(`its answers differ in the output "${differs}"`, false);
  }

  /** @param ms the time for an answer; `null` if the turn goes on */
  #ranOnOwn(ms: number | null): void {
    if (ms === null || !this.#mayRun()) return;
    this.#ownMs = ms;
    this.#setTurn(true);
  }

  async #runOnOther(batch: Run): Promise<RunResult> {
    const { own, timer } = this.#config;
    const [{ size, predictedMs }, sentAtMs] = [batch, timer.now()];
    const limit = new Deadline(PATIENCE.runs * (predictedMs ?? size * this.#ownMs) + PATIENCE.ms, timer);
    const result = await limit.wait(() => this.#attempt(batch)).catch(() => null);
    if (result?.ok) {
      this.#msPerItem[size] = result.reply.inferenceMs / size;
      this.#ranOnOther(this.#isOthersNext ? this.#turn.add(size, sentAtMs, timer.now()) : null);
      return result;
    }
    if (result === null && this.#isOthersNext) this.#ranOnOther(Infinity);
    const again = await own.run(batch);
    // If both refuse it, the batch is at fault, and no way.
    if (again.ok && result !== null) this.#conclude(result.error.message);
    return again;
  }

  /** @param ms see `#ranOnOwn` */
  #ranOnOther(ms: number | null): void {
    if (ms === null || this.#end !== null) return;
    const isFaster = this.#rounds.add(this.#ownMs, ms, this.#config.timer.now());
    if (isFaster === null) this.#setTurn(false);
    else this.#conclude(`${this.#rounds.gain.toFixed(2)} times as fast`, true, isFaster);
  }

  /** Runs a batch in the other worker. Returns `null` if that ends the worker, and with it the trial. */
  async #attempt(batch: Run): Promise<RunResult | null> {
    this.#running += 1;
    try {
      return await batch.runOn(this.#config.other.client, { timeoutMs: GIVE_UP_MS, isDivided: false });
    } catch (error) {
      this.#conclude(asError(error).message);
      return null;
    } finally {
      this.#running -= 1;
      if (this.#end !== null && this.#running === 0) this.#config.onEnd(this.#end.verdict);
    }
  }

  #conclude(reason: string, agrees: boolean | null = null, isFaster = false): void {
    this.close({ reason, agrees, isFaster, msPerItem: this.#msPerItem });
  }
}

/** The ways of a model with handlers, whose results are no outputs, are not compared. */
function outputsOf(reply: Success): AnsweredRows {
  return "outputs" in reply ? reply.outputs : {};
}

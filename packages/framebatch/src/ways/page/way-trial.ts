import type { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import { asError } from "@framebatch/batcher/errors/errors.js";
import { Deadline } from "@framebatch/host/deadline.js";
import type { Timer } from "@framebatch/host/host-timer.js";
import type { AnsweredRows } from "@framebatch/rows/collate/sent-rows.js";
import { type Agreement, disagreement } from "@framebatch/rows/tensor/agreement.js";
import type { MeasuredWay } from "../../transport/protocol.js";
import type { BatchRunner } from "../../client/engine/model-engine.js";
import type { Run, RunResult, Success } from "../../client/workers/run-result.js";
import type { WorkerClient } from "../../client/workers/worker-client.js";

/** A batch may take this many times as long as predicted, and this many milliseconds. Then it runs on the model's own way. */
const PATIENCE = { runs: 4, ms: 50 };

/** After this silence in a run, another way counts as hung, in milliseconds. It may still compile. */
const HUNG_MS = 30_000;

/** How long the check of batches may take on another way, in milliseconds. Some checks need other items than come. */
const UNTRUSTED_MS = 30_000;

/** Turns of the microtasks in which callers ask again, as for a burst of requests. */
const BURST_TURNS = 16;

/** Number of batches whose answers must agree before the other way answers any request. */
const COMPARED = 3;

/** How many times as long as usual the turns of the model's own way are while the other one seems slow. */
const LONG_TURN = 32;

const NOTHING_LEARNED: CostModelData = { version: 1, shapes: [] };

/** A worker on another way. */
export interface OtherWorker {
  readonly client: WorkerClient;
  /** Returns whether a batch gives the same answers as its items there, as far as is known; and why not. */
  readonly trust: () => "yes" | "not yet" | { readonly no: string };
  close(): void;
}

export type WayVerdict = Pick<MeasuredWay, "reason" | "agrees" | "msPerItem"> & { readonly isFaster: boolean };

export interface WayTrialConfig {
  readonly worker: OtherWorker;
  readonly batcher: Pick<Batcher<unknown, unknown>, "inFlight" | "costData" | "pause" | "restore" | "resume">;
  readonly agreement: Agreement;
  readonly timer: Timer;
  /** Called before the other way runs anything. Returns whether the trial may go on; it has been closed if not. */
  readonly mayGoOn: () => boolean;
  /** Called once. The worker has ended, or ends with its last run. */
  readonly onEnd: (verdict: WayVerdict) => void;
}

/**
 * Compares another way to run a model with its own by the requests of the page. First, some batches that the model has
 * answered run on the other way, too, and the answers must agree. Then the ways take turns. Each answers batches of its own
 * sizes, by its own run times, and no run of one overlaps with one of the other. What the other way does not answer in time
 * runs on the model's own.
 */
export class WayTrial {
  readonly #config: WayTrialConfig;
  readonly #openedAtMs: number;
  readonly #rounds: WayRounds;
  readonly #msPerItem: Record<number, number> = {};
  /** The run times of the way whose turn it is not. */
  #costs = NOTHING_LEARNED;
  #isOthersTurn = false;
  /** Whose turn is next, once no batch is in flight. Until then, the batcher is paused. */
  #isOthersNext = false;
  #turn = new WayTurn();
  /** Time of the model's own way for an answer in this round, in milliseconds. */
  #ownMs = 0;
  #agreed = 0;
  /** Number of runs in the other worker. */
  #running = 0;
  #isOver = false;
  #isAdopted = false;

  constructor(config: WayTrialConfig) {
    this.#config = config;
    this.#openedAtMs = config.timer.now();
    this.#rounds = new WayRounds(this.#openedAtMs);
  }

  /** The run times of the way in which the model runs. */
  get ownCosts(): CostModelData {
    return this.#isOthersTurn === this.#isAdopted ? this.#config.batcher.costData() : this.#costs;
  }

  /** Whether the batcher has the run times of the way whose turn is next. */
  get isSettled(): boolean {
    return this.#isOthersNext === this.#isOthersTurn;
  }

  /** Runs a batch on one of the two ways. @param mayMove whether it may run in the other worker */
  async run(batch: Run, own: BatchRunner, mayMove: boolean): Promise<RunResult> {
    if (this.#isOver) return own.run(batch);
    if (mayMove && this.#isOthersTurn) return this.#runOnOther(batch, own);
    // It takes processors from what is measured.
    if (!mayMove) this.#setTurn(false);
    const sentAtMs = this.#config.timer.now();
    const result = await own.run(batch);
    if (!result.ok || !mayMove || this.#isOver || this.#isOthersNext) return result;
    if (this.#running > 0) this.#setTurn(false);
    else if (this.#agreed < COMPARED) void this.#compare(batch, result.reply);
    else if (this.#turn.add(batch.size, sentAtMs, this.#config.timer.now()) && this.#mayRun()) {
      this.#ownMs = this.#turn.msPerItem;
      this.#setTurn(true);
    }
    return result;
  }

  /** Called when a batch has ended, and the batcher has learned from it. */
  batchEnded(): void {
    if (!this.isSettled) this.#setTurn(this.#isOthersNext);
  }

  /** Ends the trial without a verdict. */
  close(): void {
    this.#isOver = true;
    this.#setTurn(false);
    if (this.#running === 0) this.#config.worker.close();
  }

  /** Gives the batcher the run times of the other way, to which the model has changed. */
  adopt(): void {
    this.#isAdopted = true;
    this.#setTurn(true);
  }

  #setTurn(isOthers: boolean): void {
    const { batcher } = this.#config;
    const wasSettled = this.isSettled;
    this.#isOthersNext = isOthers;
    if (!this.isSettled && batcher.inFlight > 0) return batcher.pause();
    if (!this.isSettled) {
      const costs = batcher.costData();
      batcher.restore(this.#costs);
      // What a way took while its code was compiled is forgotten: it would decide the sizes of hundreds of batches.
      this.#costs = this.#isOthersTurn && this.#rounds.isWarming ? NOTHING_LEARNED : costs;
      this.#isOthersTurn = isOthers;
    }
    this.#turn = new WayTurn(!isOthers && this.#rounds.seemsSlow ? LONG_TURN : 1);
    if (!wasSettled) void this.#resume();
  }

  /** Lets the batcher go on once the callers of the last answers have asked again: their requests are one batch. */
  async #resume(): Promise<void> {
    for (let turn = 0; turn < BURST_TURNS; turn += 1) await Promise.resolve();
    if (this.isSettled) this.#config.batcher.resume();
  }

  /** Whether batches may run on the other way now. Ends the trial if they never may. */
  #mayRun(): boolean {
    const { worker, timer, mayGoOn } = this.#config;
    if (!mayGoOn()) return false;
    const trust = worker.trust();
    if (typeof trust === "object") this.#end(trust.no);
    else if (trust === "not yet" && timer.now() - this.#openedAtMs > UNTRUSTED_MS)
      this.#end("whether its batches give the answers of single items was not known in time");
    return trust === "yes";
  }

  /** Runs an answered batch on the other way, for whose answer nobody waits. */
  async #compare(batch: Run, own: Success): Promise<void> {
    if (!this.#mayRun()) return;
    // The callers own the outputs from now on, and may change or transfer them meanwhile.
    const expected = structuredClone(outputsOf(own));
    const result = await this.#attempt(batch);
    if (this.#isOver || result === null) return;
    if (!result.ok) return this.#end(result.error.message);
    const differs = disagreement(expected, outputsOf(result.reply), this.#config.agreement);
    if (differs === null) this.#agreed += 1;
    else this.#end(`its answers differ in the output "${differs}"`, false);
  }

  async #runOnOther(batch: Run, own: BatchRunner): Promise<RunResult> {
    const { timer } = this.#config;
    const [{ size, predictedMs }, sentAtMs] = [batch, timer.now()];
    const limit = new Deadline(PATIENCE.runs * (predictedMs ?? size * this.#ownMs) + PATIENCE.ms, timer);
    const result = await limit.wait(() => this.#attempt(batch)).catch(() => null);
    if (result?.ok === false) return this.#runRefused(batch, own, result.error);
    const reply = result?.reply ?? null;
    if (reply !== null) this.#msPerItem[size] = reply.inferenceMs / size;
    if (!this.#isOver && this.#isOthersNext) {
      if (reply === null) this.#endRound(Infinity);
      else if (this.#turn.add(size, sentAtMs, timer.now())) this.#endRound(this.#turn.msPerItem);
    }
    return reply === null ? own.run(batch) : { ok: true, reply };
  }

  /** Runs a batch on the model's own way that the other one has refused. If both do, the batch is at fault, and no way. */
  async #runRefused(batch: Run, own: BatchRunner, error: Error): Promise<RunResult> {
    const result = await own.run(batch);
    if (result.ok) this.#end(error.message);
    return result;
  }

  #endRound(otherMs: number): void {
    const isFaster = this.#rounds.add(this.#ownMs, otherMs, this.#config.timer.now());
    if (isFaster === null) this.#setTurn(false);
    else this.#end(`${this.#rounds.gain.toFixed(2)} times as fast`, true, isFaster);
  }

  /** Runs a batch in the other worker. Returns `null` if that ends the worker, and with it the trial. */
  async #attempt(batch: Run): Promise<RunResult | null> {
    this.#running += 1;
    try {
      return await batch.runOn(this.#config.worker.client, { timeoutMs: HUNG_MS, isDivided: false });
    } catch (error) {
      this.#end(asError(error).message);
      return null;
    } finally {
      this.#running -= 1;
      if (this.#isOver && this.#running === 0) this.#config.worker.close();
    }
  }

  #end(reason: string, agrees: boolean | null = null, isFaster = false): void {
    if (this.#isOver) return;
    this.close();
    this.#config.onEnd({ reason, agrees, isFaster, msPerItem: this.#msPerItem });
  }
}

/** The ways of a model with handlers, whose results are no outputs, are not compared. */
function outputsOf(reply: Success): AnsweredRows {
  return "outputs" in reply ? reply.outputs : {};
}

/**
 * A way wins, or loses, with a lead of so many rounds. Each lead begins anew at 0, so that a way that was slow while its code
 * was compiled can still win. This is Page's one-sided test (Continuous inspection schemes, Biometrika 1954) of the sign of
 * each round, which no single stall decides. A way that is slower in 65 of 100 rounds wins all the same in 6 of 100 trials, and
 * in 9 if its rounds take 100 ms each: it has more of them before it may lose.
 */
const LEAD = 6;

/** After as many rounds without a lead, the ways are equally fast. */
const MAX_ROUNDS = 64;

/** A gain of less than this is not worth a change. */
const MIN_GAIN = 1.05;

/** A new worker is getting faster while it takes less than this share of its best time so far: its code is being optimized. */
const WARMING = 0.9;

/** No way loses before it has had this time to get fast, in milliseconds. */
const LEAST_MS = 3000;

/** Decides from rounds whether another way to run a model is faster than its own. In each round, both have answered requests. */
export class WayRounds {
  readonly #sinceMs: number;
  readonly #gains: number[] = [];
  #bestMs = Infinity;
  /** Whether the other way was faster in the last round than ever before. Only `add` sets it. */
  isWarming = false;
  #faster = 0;
  #slower = 0;

  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
  }

  /**
   * Records a round: the time of the model's own way for an answer, and that of the other one, in milliseconds. Returns
   * whether the other one is faster, once that is known.
   */
  add(ownMs: number, otherMs: number, nowMs: number): boolean | null {
    this.isWarming = otherMs < WARMING * this.#bestMs;
    this.#bestMs = Math.min(this.#bestMs, otherMs);
    if (this.isWarming) {
      this.#slower = 0;
      return null;
    }
    const gain = ownMs / otherMs;
    this.#gains.push(gain);
    const step = gain > MIN_GAIN ? 1 : -1;
    this.#faster = Math.max(0, this.#faster + step);
    this.#slower = Math.max(0, this.#slower - step);
    if (this.#faster === LEAD) return true;
    const hasLost = this.#slower >= LEAD && nowMs - this.#sinceMs >= LEAST_MS;
    return hasLost || this.#gains.length === MAX_ROUNDS ? false : null;
  }

  /** Whether the other way was slower in two rounds more than not: it should get few requests. */
  get seemsSlow(): boolean {
    return this.#faster === 0 && this.#slower > 1;
  }

  /** How many times as fast as the model's own way: the median of the last rounds. */
  get gain(): number {
    const last = this.#gains.slice(-2 * LEAD).toSorted((a, b) => a - b);
    return last[last.length >> 1] ?? 0;
  }
}

/** A way is cold at first: its memory has left the processor's caches, and its threads sleep. */
const SETTLING_MS = 10;

/** Time of the batches of a turn, in milliseconds: steady costs of a way, such as waking its threads, average out in it. */
const TURN_MS = 30;

/** A longer pause between batches, in milliseconds, is the user's. A shorter one is the page's work, which takes processors. */
const PAGE_WORK_MS = 4;

/** Batches that were answered one after the other on one way, and how long an answer took for the page's visitor. */
export class WayTurn {
  readonly #leastMs: number;
  #settledAtMs: number | null = null;
  #lastMs = -Infinity;
  #items = 0;
  #ms = 0;

  /** @param length how many times as long as a usual turn */
  constructor(length = 1) {
    this.#leastMs = length * TURN_MS;
  }

  /** Records a batch. Returns whether the turn is over. Times are in milliseconds. */
  add(items: number, sentAtMs: number, answeredAtMs: number): boolean {
    const sinceMs = sentAtMs - this.#lastMs > PAGE_WORK_MS ? sentAtMs : this.#lastMs;
    this.#lastMs = answeredAtMs;
    this.#settledAtMs ??= sentAtMs + SETTLING_MS;
    if (answeredAtMs < this.#settledAtMs) return false;
    this.#items += items;
    this.#ms += answeredAtMs - sinceMs;
    return this.#ms >= this.#leastMs;
  }

  /** With the page's own work, and with what the way's threads take away from that. */
  get msPerItem(): number {
    return this.#ms / this.#items;
  }
}

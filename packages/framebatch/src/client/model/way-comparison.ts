import { asError } from "@framebatch/batcher/errors/errors.js";
import { after } from "@framebatch/host/host-timer.js";
import { type ExecutionProvider, isSameWay, type Way } from "../../transport/providers.js";
import type { ModelState } from "../options/model.js";
import type { MeasuredWay, WayRecord } from "../../transport/protocol.js";
import type { BatchRunner } from "../engine/model-engine.js";
import type { Run, RunResult } from "../workers/run.js";
import { type OtherWorker, WayTrial, type WayTrialConfig, type WayVerdict } from "./way-trial.js";

/** What was measured on a machine that was busy for an hour must not last: after a day, the ways are tried again. */
const LASTS_MS = 24 * 3600 * 1000;

/** Time until a page asks again whether it may try a way, while another page or model does, in milliseconds. */
const RETRY_MS = 5000;

/** A worker that got no batch for this time is ended: it holds memory, and no other model or page may try a way. */
const IDLE_MS = 30_000;

export interface WayComparisonConfig extends Pick<WayTrialConfig, "agreement" | "batcher" | "timer"> {
  readonly own: Way;
  readonly others: readonly Way[];
  /** What earlier visits have measured; `null` if nothing. */
  readonly known: WayRecord | null;
  /** Returns how long the model must have computed before a way is worth a trial, in milliseconds. */
  readonly worthAfterMs: (way: Way) => number;
  /** Returns whether a model that runs in `own` way, as far as is known, may try another one now. */
  readonly mayTry: (own: Way) => boolean;
  /** Starts a worker; returns `null` while another model or page tries a way. @throws why the way does not work here */
  readonly open: (way: Way) => Promise<OtherWorker | null>;
  readonly keep: (record: WayRecord) => void;
  /** Lets the model go on in another way. Returns whether it does. @param wrong see `WorkerSlot` */
  readonly change: (way: Way, why: string, wrong: ExecutionProvider | null) => Promise<boolean>;
  /** Returns the time of day, in milliseconds since 1970. */
  readonly today: () => number;
}

/** Tries the other ways to run a model, one after the other. Each that wins is the model's own from then on. */
export class WayComparison {
  readonly #config: WayComparisonConfig;
  readonly #left: Way[];
  #own: Way;
  #ownMsPerItem: Record<number, number> = {};
  /** The other ways that were tried; before the first, what earlier visits have measured. */
  trials: readonly MeasuredWay[];
  /** The way in which the model ran at first; `null` before another one was tried. */
  #first: MeasuredWay | null = null;
  #state: "waiting" | "opening" | "trying" | "changing" | "over" = "waiting";
  /** The trial that goes on, or the last one. */
  #trial: WayTrial | null = null;
  #notBeforeMs = -Infinity;
  #computedMs = 0;
  /** Number of batches that another worker may run. */
  #asked = 0;

  constructor(config: WayComparisonConfig) {
    const { own, others, known, today } = config;
    this.#config = config;
    this.#own = own;
    this.trials = known?.trials ?? [];
    const isOld = known === null || today() - known.measuredAtMs > LASTS_MS;
    this.#left = isOld || !this.trials.some((trial) => isSameWay(trial, own)) ? [...others] : [];
  }

  /** The run times of the way in which the model runs; `null` if the batcher has them. */
  get ownCosts(): WayTrial["ownCosts"] | null {
    return this.#trial?.ownCosts ?? null;
  }

  /** Runs a batch on the workers of the model or, as part of a trial, on another one. */
  run(batch: Run, pool: BatchRunner): Promise<RunResult> {
    // What may be at fault itself, or cannot run again, must not run where nobody waits for its end.
    const mayMove = !batch.isStep && batch.mayRepeat;
    if (mayMove) this.#asked += 1;
    const own: BatchRunner = { run: (each) => this.#runOnOwn(each, pool, mayMove) };
    return this.#state === "trying" && this.#trial !== null ? this.#trial.run(batch, own, mayMove) : own.run(batch);
  }

  /** Called when a batch has ended, and the batcher has learned from it. */
  batchEnded(): void {
    this.#trial?.batchEnded();
  }

  /** Ends the trial if the model has no worker of its own to compare with, and the comparison with the model. */
  stateChanged(state: ModelState): void {
    if (state !== "ready") this.#rest();
    if (state === "disposed") this.#state = "over";
  }

  async #runOnOwn(batch: Run, pool: BatchRunner, mayMove: boolean): Promise<RunResult> {
    const result = await pool.run(batch);
    if (!result.ok) return result;
    const { inferenceMs } = result.reply;
    this.#computedMs += inferenceMs;
    this.#ownMsPerItem[batch.size] = inferenceMs / batch.size;
    if (mayMove && this.#state === "waiting") this.#tryNext();
    return result;
  }

  #tryNext(): void {
    const { worthAfterMs, mayTry, timer } = this.#config;
    const [way] = this.#left;
    if (way === undefined || timer.now() < this.#notBeforeMs || this.#trial?.isSettled === false) return;
    if (this.#computedMs >= worthAfterMs(way) && mayTry(this.#own)) void this.#try(way);
  }

  async #try(way: Way): Promise<void> {
    const { open, batcher, agreement, timer } = this.#config;
    const mayTry = () => this.#state !== "over" && this.#config.mayTry(this.#own);
    this.#state = "opening";
    try {
      const worker = await open(way);
      if (worker === null || !mayTry()) {
        worker?.close();
        return this.#wait();
      }
      const mayGoOn = () => {
        if (!mayTry()) this.#rest();
        return this.#state === "trying";
      };
      const onEnd = (verdict: WayVerdict) => void this.#conclude(way, verdict);
      this.#trial = new WayTrial({ worker, batcher, agreement, timer, mayGoOn, onEnd });
      this.#state = "trying";
      this.#restWhenIdle(this.#trial);
    } catch (error) {
      const { message: reason } = asError(error);
      if (mayTry()) await this.#conclude(way, { isFaster: false, reason, agrees: null, msPerItem: {} });
      else this.#wait();
    }
  }

  #restWhenIdle(trial: WayTrial): void {
    const asked = this.#asked;
    const look = () => {
      if (this.#state !== "trying" || this.#trial !== trial) return;
      if (this.#asked > asked) return this.#restWhenIdle(trial);
      this.#rest();
      // Another worker must be worth its start again.
      this.#computedMs = 0;
    };
    after(IDLE_MS, look, this.#config.timer);
  }

  #rest(): void {
    if (this.#state !== "trying") return;
    this.#trial?.close();
    this.#wait();
  }

  /** Lets a trial begin later. */
  #wait(): void {
    if (this.#state === "over") return;
    this.#state = "waiting";
    this.#notBeforeMs = this.#config.timer.now() + RETRY_MS;
  }

  async #conclude(way: Way, { isFaster, ...verdict }: WayVerdict): Promise<void> {
    const { keep, today } = this.#config;
    const before = this.#first === null ? [] : this.trials;
    this.#first ??= this.#ownTrial;
    this.#left.shift();
    // A GPU that answers otherwise than WASM answers no longer than it has to, whatever its speed.
    const isWrong = this.#own.provider !== "wasm" && way.provider === "wasm" && verdict.agrees === false;
    const best = isFaster || isWrong ? way : this.#own;
    const all = [this.#first, ...before, { ...way, ...verdict }];
    const trials = all.map((each) => ({ ...each, chosen: isSameWay(each, best) }));
    this.trials = trials.slice(1);
    if (isWrong || this.#left.length === 0) keep({ best, trials, measuredAtMs: today() });
    this.#state = "waiting";
    if (best === way) await this.#change(way, verdict.reason, isWrong ? this.#own.provider : null);
  }

  async #change(way: Way, why: string, wrong: ExecutionProvider | null): Promise<void> {
    this.#state = "changing";
    const hasChanged = await this.#config.change(way, why, wrong);
    if (this.#state !== "changing") return;
    this.#state = hasChanged ? "waiting" : "over";
    if (!hasChanged) return;
    this.#trial?.adopt();
    this.#own = way;
    this.#ownMsPerItem = {};
  }

  get #ownTrial(): MeasuredWay {
    const reason = "the others were compared with it";
    return { ...this.#own, chosen: true, reason, msPerItem: this.#ownMsPerItem, agrees: null };
  }
}

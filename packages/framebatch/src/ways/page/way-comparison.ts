import type { CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import { hostTimer, type Timer } from "@framebatch/host/host-timer.js";
import { connection, holdIfFree, isHidden, memoryGiB } from "@framebatch/host/page.js";
import type { ModelState } from "../../client/options/model.js";
import type { openSession } from "../../client/workers/model-session.js";
import type { Run, RunResult } from "../../client/workers/pending-runs.js";
import type { MeasuredWay } from "../../transport/protocol.js";
import { isOfWay, isSameWay, RUNTIME_BUILDS, type Way } from "../../transport/providers.js";
import { chooseBuild } from "../../transport/runtime-builds.js";
import { type ComparedModel, mayMove, WayTrial, type WayVerdict } from "./way-trial.js";

/** A way is worth a trial if one that is half as fast again would have saved as much as the trial takes to start. */
const LEAST_SAVING = 1 / 3;

/**
 * How long another worker takes to start, as a share of the first one: the browser keeps what it has compiled. First
 * answers of second visits take 0.44 to 0.63 of those of first ones (five models, two cores).
 */
const NEXT_START = 0.5;

/** Assumed rate of a connection that the browser tells nothing about, in bytes per millisecond: 10 Mbit/s. */
const USUAL_BYTES_PER_MS = 1250;

const MIN_MEMORY_GIB = 4;

/** The Web Lock of the one model on all pages of this origin that tries a way: two would measure each other. */
const LOCK = "framebatch-measures-ways";

/** What was measured on a machine that was busy for an hour must not last: after a day, the ways are tried again. */
const LASTS_MS = 24 * 3600 * 1000;

/**
 * Tries the other ways to run a model that has computed for a while, one after the other. Each that wins is the model's
 * own from then on.
 */
export class WayComparison {
  readonly #model: ComparedModel;
  readonly #timer: Timer;
  readonly #left: Way[];
  #own: Way;
  #ownMsPerItem: Record<number, number> = {};
  /** The other ways that were tried; before the first, what earlier visits have measured. Only this class sets it. */
  trials: readonly MeasuredWay[];
  /** The way in which the model ran at first; `null` before another one was tried. */
  #first: MeasuredWay | null = null;
  /** Whether a way is tried, or the model changes to it. */
  #isBusy = false;
  /** Aborted when no further way is tried. */
  readonly #over = new AbortController();
  /** The trial that goes on, or the last one. */
  #trial: WayTrial | null = null;
  /** How long the model has computed since the last trial that was cut short, in milliseconds. */
  #computedMs = 0;
  /**
   * How many times as much each trial must be worth: twice as much after each that was cut short, since the next one
   * may be, too.
   */
  #price = 1;

  constructor(model: ComparedModel, timer: Timer = hostTimer) {
    const { otherWays, ways, provider, numThreads } = model.pool.session.model;
    this.#model = model;
    this.#timer = timer;
    this.#own = { provider, numThreads };
    this.trials = ways?.trials ?? [];
    const isOld = ways === null || Date.now() - ways.measuredAtMs > LASTS_MS;
    this.#left = isOld || !this.trials.some((trial) => isSameWay(trial, this.#own)) ? [...otherWays] : [];
  }

  /** The run times of the way in which the model runs; `null` if the batcher has them. */
  get ownCosts(): CostModelData | null {
    return this.#trial?.ownCosts ?? null;
  }

  /** Runs a batch on the workers of the model or, as part of a trial, on another one. */
  run(batch: Run): Promise<RunResult> {
    return this.#trial?.run(batch) ?? this.#runOnOwn(batch);
  }

  /** Called when a batch has ended, and the batcher has learned from it. */
  batchEnded(): void {
    this.#trial?.batchEnded();
  }

  /** Ends the trial if the model has no worker of its own to compare with, and the comparison with the model. */
  stateChanged(state: ModelState): void {
    if (state === "disposed") this.#over.abort();
    if (state !== "ready") this.#trial?.close();
  }

  async #runOnOwn(batch: Run): Promise<RunResult> {
    const result = await this.#model.pool.run(batch);
    if (!result.ok) return result;
    const { inferenceMs } = result.reply;
    this.#computedMs += inferenceMs;
    this.#ownMsPerItem[batch.size] = inferenceMs / batch.size;
    const [way] = this.#left;
    const mayBegin = !this.#isBusy && this.#trial?.isSettled !== false && mayMove(batch);
    if (mayBegin && way !== undefined && this.#isWorth(way) && this.#mayTry()) void this.#try(way);
    return result;
  }

  /** Whether the model has computed long enough for a trial of the way. */
  #isWorth({ provider }: Way): boolean {
    const { pool, plan, loadMs } = this.#model;
    const { provider: own, isNearGpu, modelBytes } = pool.session.model;
    const needs = { externalData: [], isNearGpu };
    const build = chooseBuild(provider, needs);
    const buildBytes = build === chooseBuild(own, needs) ? 0 : RUNTIME_BUILDS[build].bytes;
    // The file of another provider is as large as the own one, as far as is known.
    const fileBytes = plan.files.areByProvider && provider !== own ? modelBytes : 0;
    const startMs = NEXT_START * loadMs + (buildBytes + fileBytes) / (connection().bytesPerMs ?? USUAL_BYTES_PER_MS);
    return this.#computedMs >= (this.#price * startMs) / LEAST_SAVING;
  }

  /** Returns false where a trial would disturb: in a hidden tab, or where data or memory are short. */
  #mayTry(): boolean {
    const { state, session } = this.#model.pool;
    if (isHidden() || connection().savesData || (memoryGiB() ?? Infinity) < MIN_MEMORY_GIB) return false;
    // A model that has left its way for another reason has nothing more to compare with.
    return !this.#over.signal.aborted && state === "ready" && isSameWay(session.model, this.#own);
  }

  async #try(way: Way): Promise<void> {
    this.#isBusy = true;
    const verdict = await this.#measure(way);
    if (verdict !== null) await this.#conclude(way, verdict);
    else this.#computedMs = 0;
    this.#isBusy = false;
  }

  /**
   * Starts a worker that runs the model in another way, unless another model or page tries one. Returns `null` for no
   * verdict.
   */
  async #measure(way: Way): Promise<WayVerdict | null> {
    const release = await holdIfFree(LOCK);
    if (release === null) return null;
    try {
      this.#price *= 2;
      const other = await this.#open(way);
      try {
        if (!this.#mayTry()) return null;
        const own = { run: (batch: Run) => this.#runOnOwn(batch) };
        const [model, timer, mayTry] = [this.#model, this.#timer, () => this.#mayTry()];
        return await new Promise<WayVerdict | null>((onEnd) => {
          this.#trial = new WayTrial({ model, other, own, timer, mayTry, onEnd });
        });
      } finally {
        other.client.terminate(new Error("the other way has been tried"));
      }
    } catch (error) {
      // A network that failed says nothing about the way.
      const isVerdict = isOfWay(error) && this.#mayTry();
      return isVerdict ? { isFaster: false, reason: error.message, agrees: null, msPerItem: {} } : null;
    } finally {
      release();
    }
  }

  /**
   * The worker reports nothing and makes no warm-up, which would take processors from the page. It checks batches only
   * on a provider whose verdict is not known yet.
   */
  #open({ provider, numThreads }: Way): ReturnType<typeof openSession> {
    const { pool, plan, open } = this.#model;
    const { model, batchCheck } = pool.session;
    const { signature, isNearGpu } = model;
    const how = { signature, numThreads, isDecided: true, isNearGpu, comparesProviders: false };
    const ignore = () => undefined;
    return open(
      { ...plan, request: { ...plan.request, ...how }, onProgress: ignore, onWarning: ignore, onTimed: ignore },
      [provider],
      this.#over.signal,
      { onChecked: ignore, onCompared: ignore, onDeath: ignore },
      [{ provider: model.provider, batchCheck: batchCheck() }],
    );
  }

  async #conclude(way: Way, { isFaster, ...verdict }: WayVerdict): Promise<void> {
    const { pool } = this.#model;
    const own = this.#own;
    const before = this.#first === null ? [] : this.trials;
    const reason = "the others were compared with it";
    this.#first ??= { ...own, chosen: true, reason, msPerItem: { ...this.#ownMsPerItem }, agrees: null };
    this.#left.shift();
    this.#price = 1;
    // A GPU that answers otherwise than WASM answers no longer than it has to, whatever its speed.
    const isWrong = own.provider !== "wasm" && way.provider === "wasm" && verdict.agrees === false;
    const best = isFaster || isWrong ? way : own;
    const all = [this.#first, ...before, { ...way, ...verdict }];
    const trials = all.map((each) => ({ ...each, chosen: isSameWay(each, best) }));
    this.trials = trials.slice(1);
    if (isWrong || this.#left.length === 0)
      pool.session.client.learn({ ways: { best, trials, measuredAtMs: Date.now() } });
    if (best === own) return;
    if (!(await pool.changeWay(way, verdict.reason, isWrong ? own.provider : null))) this.#over.abort();
    if (this.#over.signal.aborted) return;
    this.#trial?.adopt();
    this.#own = way;
  }
}

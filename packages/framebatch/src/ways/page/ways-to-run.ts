import { type ExecutionProvider, isSameWay, type Way } from "../../transport/providers.js";
import { BUILD_BYTES, type BuildNeeds, chooseBuild } from "../../transport/runtime-builds.js";
import { hostTimer, after } from "@framebatch/host/host-timer.js";
import type { BatchCheck, MeasuredWay, WayRecord } from "../../transport/protocol.js";
import { connection, holdIfFree, isHidden, memoryGiB } from "@framebatch/host/page.js";
import type { LoadPlan, openSession } from "../../client/workers/model-session.js";
import type { WorkerPool } from "../../client/workers/worker-pool.js";
import { type OtherWorker, WayTrial, type WayTrialConfig, type WayVerdict } from "./way-trial.js";
import { asError } from "@framebatch/batcher/errors/errors.js";
import type { ModelState } from "../../client/options/model.js";
import type { BatchRunner } from "../../client/engine/model-engine.js";
import type { Run, RunResult } from "../../client/workers/run-result.js";

/** A way is worth a trial if one that is half as fast again would have saved as much as the trial takes to start. */
const LEAST_SAVING = 1 / 3;

/**
 * How long another worker takes to start, as a share of the first one: the browser keeps what it has compiled. First answers of second
 * visits take 0.44 to 0.63 of those of first ones (five models, two cores).
 */
const NEXT_START = 0.5;

/** Assumed rate of a connection that the browser tells nothing about, in bytes per millisecond: 10 Mbit/s. */
const USUAL_BYTES_PER_MS = 1250;

const MIN_MEMORY_GIB = 4;

/** The Web Lock of the one model on all pages of this origin that tries a way: two would measure each other. */
const LOCK = "framebatch-measures-ways";

/** What a model gives to the comparison of its ways. */
export interface ComparedModel {
  readonly pool: WorkerPool;
  readonly plan: LoadPlan;
  /** How long it took to load without its download, in milliseconds. */
  readonly loadMs: number;
  readonly batcher: () => WayComparisonConfig["batcher"];
  /** `openSession`. An import of it here would divide the code of a page that loads this later. */
  readonly open: typeof openSession;
}

/** Compares the ways to run a model that has computed for a while. */
export function compareWays(model: ComparedModel): WayComparison {
  const { pool, plan, loadMs, batcher } = model;
  const { provider, numThreads, otherWays, ways, modelBytes, isNearGpu } = pool.session.model;
  const needs = { externalData: [], isNearGpu };
  // The file of another provider is as large as the own one, as far as is known.
  const otherBytes = plan.files.areByProvider ? modelBytes : 0;
  return new WayComparison({
    own: { provider, numThreads },
    others: otherWays,
    known: ways,
    worthAfterMs: (way) => {
      return (NEXT_START * loadMs + downloadMs(way.provider, provider, needs, otherBytes)) / LEAST_SAVING;
    },
    // A model that has left its way for another reason has nothing more to compare with.
    mayTry: (own) => mayTryHere() && pool.state === "ready" && isSameWay(pool.session.model, own),
    open: (way) => openAlone(model, way),
    agreement: plan.request.agreement,
    batcher: besideRecovery(pool, batcher()),
    keep: (record) => pool.session.client.learn({ ways: record }),
    change: (way, why, wrong) => pool.changeWay(way, why, wrong),
    timer: hostTimer,
    today: () => Date.now(),
  });
}

/** While it has no worker, a model pauses its batcher, and lets it go on itself. */
function besideRecovery(pool: WorkerPool, batcher: WayComparisonConfig["batcher"]): WayComparisonConfig["batcher"] {
  return {
    get inFlight() {
      return batcher.inFlight;
    },
    costData: () => batcher.costData(),
    restore: (costs) => batcher.restore(costs),
    pause: () => batcher.pause(),
    resume: () => pool.state !== "recovering" && pool.state !== "unloaded" && batcher.resume(),
  };
}

/** Returns false while a trial would disturb: in a hidden tab, or where data or memory are short. */
function mayTryHere(): boolean {
  return !isHidden() && !connection().savesData && (memoryGiB() ?? Infinity) >= MIN_MEMORY_GIB;
}

/**
 * Returns how long the files of another provider take to arrive, in milliseconds: its build, if the browser does not have
 * it, and its own model.
 */
function downloadMs(other: ExecutionProvider, own: ExecutionProvider, needs: BuildNeeds, modelBytes: number): number {
  const build = chooseBuild(other, needs);
  const buildBytes = build === chooseBuild(own, needs) ? 0 : BUILD_BYTES[build];
  const bytes = buildBytes + (other === own ? 0 : modelBytes);
  return bytes / (connection().bytesPerMs ?? USUAL_BYTES_PER_MS);
}

/** Starts a worker that runs the model in another way, unless another model or page tries one. */
async function openAlone({ pool, plan, open }: ComparedModel, way: Way): Promise<OtherWorker | null> {
  const release = await holdIfFree(LOCK);
  if (release === null) return null;
  try {
    const { client, batchCheck } = await open(...quietly(pool, plan, way));
    const close = () => {
      client.terminate(new Error("the other way has been tried"));
      release();
    };
    return { client, trust: () => trustIn(batchCheck(), pool.session.batchCheck()), close };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The worker reports nothing and makes no warm-up, which would take processors from the page. It checks batches only on
 * a provider whose verdict is not known yet.
 */
function quietly(
  { session }: WorkerPool,
  plan: LoadPlan,
  { provider, numThreads }: Way,
): Parameters<typeof openSession> {
  const ignore = () => undefined;
  const { signature, isNearGpu } = session.model;
  const how = { signature, numThreads, isDecided: true, isNearGpu, comparesProviders: false };
  const quiet: LoadPlan = {
    ...plan,
    request: { ...plan.request, ...how },
    onProgress: ignore,
    onWarning: ignore,
    onTimed: ignore,
  };
  const found = [{ provider: session.model.provider, batchCheck: session.batchCheck() }];
  const listener = { onChecked: ignore, onCompared: ignore, onDeath: ignore };
  return [quiet, [provider], new AbortController().signal, listener, found];
}

/** Trusts the other way no less than the model's own, whose batches run unchecked if the user wants that. */
function trustIn(other: BatchCheck, own: BatchCheck): ReturnType<OtherWorker["trust"]> {
  // The page sends only single items.
  if (own.outcome === "failed" || other.outcome === "passed") return "yes";
  if (other.outcome === "skipped" && own.outcome === "skipped") return "yes";
  return other.outcome === "inconclusive" ? "not yet" : { no: other.reason };
}

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

import { asError } from "../../core/errors.js";
import { type Agreement, disagreement } from "../../core/tensor/agreement.js";
import { isSameWay, type Way } from "../../core/providers.js";
import type { CompletedBatch } from "../../core/queue/request.js";
import { after, type Timer } from "../../time/host-timer.js";
import type { MeasuredWay, WayRecord } from "../../transport/protocol.js";
import type { ComparedReply, Comparison } from "../engine/model-engine.js";
import type { Job } from "../workers/job.js";
import type { PendingRun } from "../workers/pending-runs.js";
import type { WorkerClient } from "../workers/worker-client.js";
import { WayTrial, type WayVerdict } from "./way-trial.js";

/** Requests wait for a run on another way at most this many times as long as their own took, and this many milliseconds. */
const PATIENCE = { runs: 4, ms: 50 };

/** After this silence in a run, another way counts as hung, in milliseconds. It may still compile. */
const HUNG_MS = 30_000;

/** Batches after which a way is compared with what earlier visits have measured of it. */
const WATCHED_BATCHES = 31;

/** A way that takes this many times as long as on earlier visits is measured again, with the others. */
const SLOWER = 1.5;

/** A worker on another way. */
export interface OtherWorker {
  readonly client: WorkerClient;
  /** Ends the worker. */
  close(): void;
}

export interface WayComparisonConfig {
  readonly own: Way;
  readonly others: readonly Way[];
  /** What earlier visits have measured; `null` if nothing. */
  readonly known: WayRecord | null;
  /** Returns how long the model must have computed before a way is worth a trial, in milliseconds. */
  readonly worthAfterMs: (way: Way) => number;
  /** Returns whether a trial may take time now. */
  readonly mayMeasure: () => boolean;
  readonly agreement: Agreement;
  /** Starts a worker. @throws why the way does not work here */
  readonly open: (way: Way) => Promise<OtherWorker>;
  /** Holds all batches back until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Stores the outcome. */
  readonly keep: (record: WayRecord) => void;
  readonly timer: Timer;
}

type State =
  /** Earlier visits have measured. `ratios`: run times now over run times then. */
  | { readonly is: "watching"; readonly msPerItem: MeasuredWay["msPerItem"]; readonly ratios: number[] }
  | { readonly is: "waiting"; readonly way: Way }
  | { readonly is: "opening" }
  | { readonly is: "measuring"; readonly trial: WayTrial; readonly worker: OtherWorker }
  | { readonly is: "repeating"; readonly trial: WayTrial; readonly worker: OtherWorker }
  | { readonly is: "over" };

/**
 * Measures the other ways to run a model, one after the other, each in a worker of its own: now and then a batch that the
 * model has answered runs there, too. The answers of the other worker are compared and dropped. While a batch runs there,
 * the model sends no other, so that both ways have the same processors.
 */
export class WayComparison implements Comparison {
  readonly #config: WayComparisonConfig;
  readonly #verdicts: WayVerdict[] = [];
  readonly #ownMsPerItem = new Map<number, number>();
  readonly #left: Way[];
  #state: State;
  #computedMs = 0;

  constructor(config: WayComparisonConfig) {
    this.#config = config;
    this.#left = [...config.others];
    const known = config.known?.trials.find((trial) => isSameWay(trial, config.own));
    this.#state = known === undefined ? this.#next() : { is: "watching", msPerItem: known.msPerItem, ratios: [] };
  }

  /** Counts an answered batch. */
  computed(batch: Pick<CompletedBatch, "paddedSize" | "inferenceMs">): void {
    if (this.#state.is === "watching") return this.#watch(this.#state, batch);
    this.#computedMs += batch.inferenceMs;
    if (this.#state.is !== "waiting") return;
    const { way } = this.#state;
    const { worthAfterMs, mayMeasure } = this.#config;
    if (this.#computedMs >= worthAfterMs(way) && mayMeasure()) void this.#open(way);
  }

  begins(): boolean {
    const state = this.#state;
    const { mayMeasure, timer, pause } = this.#config;
    if (state.is !== "measuring" || !state.trial.isDue(timer.now()) || !mayMeasure()) return false;
    this.#state = { ...state, is: "repeating" };
    // A run that compiles takes long, and its time does not count.
    if (!state.trial.isWarmingUp) pause();
    return true;
  }

  ran(rows: number, reply: ComparedReply | null, runOn: Job<ComparedReply>["runOn"]): void {
    const state = this.#state;
    if (state.is !== "repeating") return;
    if (reply !== null) return void this.#repeat(state, rows, reply, runOn);
    this.#config.resume();
    this.#state = { ...state, is: "measuring" };
  }

  /** The ways that were measured, on this visit or, without any, on earlier ones. */
  get trials(): readonly MeasuredWay[] {
    return this.#verdicts.length > 0 ? this.#verdicts.map(({ trial }) => trial) : (this.#config.known?.trials ?? []);
  }

  /** Ends the comparison. */
  dispose(): void {
    if ("worker" in this.#state) this.#state.worker.close();
    this.#state = { is: "over" };
  }

  /** Measures again if the way is slower than it was. */
  #watch(
    { msPerItem, ratios }: Extract<State, { readonly is: "watching" }>,
    { paddedSize, inferenceMs }: Pick<CompletedBatch, "paddedSize" | "inferenceMs">,
  ): void {
    const knownMs = msPerItem[paddedSize];
    if (knownMs !== undefined) ratios.push(inferenceMs / paddedSize / knownMs);
    if (ratios.length < WATCHED_BATCHES) return;
    const [median = 1] = ratios.toSorted((a, b) => a - b).slice(WATCHED_BATCHES >> 1);
    this.#state = median > SLOWER ? this.#next() : { is: "over" };
  }

  async #open(way: Way): Promise<void> {
    this.#state = { is: "opening" };
    const trial = new WayTrial(way);
    try {
      const worker = await this.#config.open(way);
      if (this.#isOver) return worker.close();
      this.#state = { is: "measuring", trial, worker };
    } catch (error) {
      if (!this.#isOver) this.#conclude(trial.failed(asError(error).message));
    }
  }

  get #isOver(): boolean {
    return this.#state.is === "over";
  }

  /**
   * Runs a batch on the other worker, and lets the model go on when it ends or takes too long. A worker that hangs ends, and
   * so does its run.
   */
  async #repeat(
    state: Extract<State, { readonly is: "repeating" }>,
    rows: number,
    own: ComparedReply,
    runOn: Job<ComparedReply>["runOn"],
  ): Promise<void> {
    const { trial, worker } = state;
    const { timer, resume } = this.#config;
    const startMs = timer.now();
    const cancel = after(PATIENCE.runs * own.inferenceMs + PATIENCE.ms, resume, timer);
    const end = (verdict: WayVerdict | null) => {
      cancel();
      resume();
      if (this.#state !== state) return;
      if (verdict !== null) return this.#conclude(verdict);
      this.#state = { ...state, is: "measuring" };
    };
    const run: PendingRun = { timeoutMs: HUNG_MS, isDivided: false };
    try {
      const result = await runOn(worker.client, run);
      if (!result.ok) return end(trial.failed(asError(result.error).message));
      const { inferenceMs, outputs } = result.reply;
      const differs =
        own.outputs === undefined || outputs === undefined
          ? null
          : disagreement(own.outputs, outputs, this.#config.agreement);
      this.#ownMsPerItem.set(rows, own.inferenceMs / rows);
      const pair = { rows, ownMs: own.inferenceMs, otherMs: inferenceMs, disagreement: differs };
      end(trial.add(pair, own.inferenceMs + timer.now() - startMs, timer.now()));
    } catch (error) {
      end(trial.failed(asError(error).message));
    }
  }

  #conclude(verdict: WayVerdict): void {
    if ("worker" in this.#state) this.#state.worker.close();
    this.#verdicts.push(verdict);
    this.#state = this.#next();
    if (this.#isOver) this.#config.keep(this.#record());
  }

  #next(): State {
    const way = this.#left.shift();
    return way === undefined ? { is: "over" } : { is: "waiting", way };
  }

  #record(): WayRecord {
    const { own } = this.#config;
    const best = bestOf(own, this.#verdicts);
    const trials = this.#verdicts.map(({ trial }) => ({ ...trial, chosen: isSameWay(trial, best) }));
    const ownTrial = {
      ...own,
      chosen: isSameWay(own, best),
      reason: "the others were compared with it",
      msPerItem: Object.fromEntries(this.#ownMsPerItem),
      agrees: null,
    } satisfies MeasuredWay;
    return { best, trials: [ownTrial, ...trials] };
  }
}

/**
 * Returns the fastest way that has won; without one, the model's own. If its answers differ from those of WASM, WASM,
 * whatever its speed.
 */
function bestOf(own: Way, verdicts: readonly WayVerdict[]): Way {
  const onWasm = verdicts.find(({ trial }) => trial.provider === "wasm" && trial.agrees === false);
  if (own.provider !== "wasm" && onWasm !== undefined) return wayOf(onWasm.trial);
  const [best] = verdicts.filter(({ trial }) => trial.chosen).toSorted((a, b) => b.gain - a.gain);
  return best === undefined ? own : wayOf(best.trial);
}

function wayOf({ provider, numThreads }: Way): Way {
  return { provider, numThreads };
}

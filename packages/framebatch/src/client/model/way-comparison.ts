import { asError } from "@framebatch/batcher/errors/errors.js";
import type { Agreement } from "@framebatch/rows/tensor/agreement.js";
import { type ExecutionProvider, isSameWay, type Way } from "../../transport/providers.js";
import { after, type Timer } from "@framebatch/host/host-timer.js";
import type { MeasuredWay, UnfinishedWay, WayRecord } from "../../transport/protocol.js";
import type { BatchRunner } from "../engine/model-engine.js";
import type { Run, RunResult } from "../workers/run.js";
import { type OtherWorker, WayRounds } from "./way-rounds.js";
import { MIN_GAIN, WayTrial, type WayVerdict } from "./way-trial.js";

/** Batches after which a way is compared with what earlier visits have measured of it. */
const WATCHED_BATCHES = 31;

/** A way that takes this many times as long as on earlier visits is measured again, with the others. */
const SLOWER = 1.5;

/** What was measured on a machine that was busy for an hour must not last: after a day, the ways are measured again. */
const LASTS_MS = 24 * 3600 * 1000;

/** A model that has changed its way leaves it again for one that is this many times as fast: after a loss of a fifth. */
const MIN_GAIN_BACK = 1.25;

/** Time until a page asks again whether it may measure, while another page or model does, in milliseconds. */
const RETRY_MS = 5000;

/** A worker that gets no batch for this time is ended: it holds memory, and no other model or page may measure. */
const IDLE_MS = 30_000;

/** What is told of every way while all batches are such that no other worker may run them. */
const BOUND =
  "not compared: the requests so far are steps of sequences, or give their tensors away, and stay in one worker";

export interface WayComparisonConfig {
  readonly own: Way;
  readonly others: readonly Way[];
  /** What earlier visits have measured; `null` if nothing. */
  readonly known: WayRecord | null;
  /** Returns how long the model must have computed before a way is worth a trial, in milliseconds. */
  readonly worthAfterMs: (way: Way) => number;
  /** Returns whether a trial may take time now, of a model that runs in `own` way as far as is known. */
  readonly mayMeasure: (own: Way) => boolean;
  readonly agreement: Agreement;
  /** Starts a worker; returns `null` while another model or page measures. @throws why the way does not work here */
  readonly open: (way: Way) => Promise<OtherWorker | null>;
  /** Stores what was measured, after each round. */
  readonly keep: (record: WayRecord) => void;
  /**
   * Lets the model go on in another way, which is the best. Returns whether it does. `why`: the reason, in words. `wrong`:
   * the provider that it leaves for good, because its answers are wrong; `null` if they are right.
   */
  readonly change: (best: Way, why: string, wrong: ExecutionProvider | null) => Promise<boolean>;
  readonly timer: Timer;
  /** Returns the time of day, in milliseconds since 1970. */
  readonly today: () => number;
}

type State =
  /** Earlier visits have measured. `ratios`: run times now over run times then. */
  | { readonly is: "watching"; readonly msPerItem: MeasuredWay["msPerItem"]; readonly ratios: number[] }
  | { readonly is: "waiting"; readonly trial: WayTrial; readonly notBeforeMs: number }
  | { readonly is: "opening" }
  | { readonly is: "measuring"; readonly trial: WayTrial; readonly rounds: WayRounds }
  | { readonly is: "changing" }
  | { readonly is: "over" };

/**
 * Measures the other ways to run a model, one after the other, each in a worker of its own that answers some of the
 * page's requests.
 */
export class WayComparison {
  readonly #config: WayComparisonConfig;
  readonly #ownMsPerItem = new Map<number, number>();
  #own: Way;
  #known: WayRecord | null;
  #minGain = MIN_GAIN;
  #left: Way[];
  #trials: WayTrial[] = [];
  #verdicts: WayVerdict[] = [];
  #state: State;
  #computedMs = 0;
  /** When the last batch came that another worker may run, in milliseconds; `-Infinity` before the first. */
  #askedAtMs = -Infinity;

  constructor(config: WayComparisonConfig) {
    this.#config = config;
    this.#own = config.own;
    this.#known = config.known;
    this.#left = [...config.others];
    this.#state = this.#begin();
  }

  /** The ways that were measured, on this visit or, without any, on earlier ones; or why they are not. */
  get trials(): readonly MeasuredWay[] {
    if (this.#verdicts.length > 0) return this.#verdicts.map(({ trial }) => trial);
    return this.#known?.trials ?? (this.#isBound ? this.#config.others.map(boundWay) : []);
  }

  /** Runs a batch on the workers of the model or, as part of a measurement, on another one. */
  async run(batch: Run, pool: BatchRunner): Promise<RunResult> {
    const own: BatchRunner = { run: (each) => this.#runOnOwn(each, pool) };
    if (!mayMove(batch)) return own.run(batch);
    this.#askedAtMs = this.#config.timer.now();
    return this.#state.is === "measuring" ? this.#state.rounds.run(batch, own) : own.run(batch);
  }

  async #runOnOwn(batch: Run, pool: BatchRunner): Promise<RunResult> {
    const result = await pool.run(batch);
    if (result.ok && !this.#isOver) this.#answered(batch, result.reply.inferenceMs);
    return result;
  }

  /** Ends the current measurement, which goes on later. */
  rest(): void {
    if (this.#state.is !== "measuring") return;
    const { trial, rounds } = this.#state;
    rounds.close();
    this.#wait(trial);
  }

  /** Ends the comparison. */
  dispose(): void {
    if (this.#state.is === "measuring") this.#state.rounds.close();
    this.#state = { is: "over" };
  }

  /** Watches the model's way if it was measured lately, or else measures the others. */
  #begin(): State {
    const ownTrial = this.#known?.trials.find((trial) => isSameWay(trial, this.#own));
    const isOld = this.#known === null || this.#config.today() - this.#known.measuredAtMs > LASTS_MS;
    if (ownTrial === undefined || isOld) return this.#next();
    return { is: "watching", msPerItem: ownTrial.msPerItem, ratios: [] };
  }

  #answered(batch: Run, inferenceMs: number): void {
    const [items, state] = [batch.size, this.#state];
    if (state.is === "watching") return this.#watch(state, inferenceMs / items, items);
    this.#computedMs += inferenceMs;
    this.#ownMsPerItem.set(items, inferenceMs / items);
    if (state.is !== "waiting" || this.#config.timer.now() < state.notBeforeMs || !mayMove(batch)) return;
    if (this.#isWorth(state.trial) && this.#config.mayMeasure(this.#own)) void this.#open(state.trial);
  }

  #isWorth({ way }: WayTrial): boolean {
    return this.#computedMs >= this.#config.worthAfterMs(way);
  }

  get #isBound(): boolean {
    return this.#askedAtMs === -Infinity && this.#state.is === "waiting" && this.#isWorth(this.#state.trial);
  }

  /** Measures again if the way is slower than it was. */
  #watch({ msPerItem, ratios }: Extract<State, { readonly is: "watching" }>, itemMs: number, items: number): void {
    const knownMs = msPerItem[items];
    if (knownMs !== undefined) ratios.push(itemMs / knownMs);
    if (ratios.length < WATCHED_BATCHES) return;
    const [median = 1] = ratios.toSorted((a, b) => a - b).slice(WATCHED_BATCHES >> 1);
    this.#state = median > SLOWER ? this.#next() : { is: "over" };
  }

  async #open(trial: WayTrial): Promise<void> {
    this.#state = { is: "opening" };
    const { open, agreement, timer } = this.#config;
    const mayMeasure = () => this.#config.mayMeasure(this.#own);
    try {
      const worker = await open(trial.way);
      if (this.#isOver) return worker?.close();
      if (worker === null || !mayMeasure()) {
        worker?.close();
        return this.#wait(trial);
      }
      const onRound = () => this.#keep(null);
      const onEnd = (verdict: WayVerdict) => this.#conclude(verdict);
      const rounds = new WayRounds({ trial, worker, mayMeasure, agreement, timer, onRound, onEnd });
      this.#state = { is: "measuring", trial, rounds };
      this.#restWhenIdle(rounds, IDLE_MS);
    } catch (error) {
      if (!this.#isOver) this.#conclude(trial.failed(asError(error).message));
    }
  }

  #restWhenIdle(rounds: WayRounds, inMs: number): void {
    const { timer } = this.#config;
    const look = () => {
      if (this.#state.is !== "measuring" || this.#state.rounds !== rounds) return;
      const leftMs = this.#askedAtMs + IDLE_MS - timer.now();
      if (leftMs > 0) return this.#restWhenIdle(rounds, leftMs);
      this.rest();
      // Another worker must be worth its start again.
      this.#computedMs = 0;
    };
    after(inMs, look, timer);
  }

  get #isOver(): boolean {
    return this.#state.is === "over";
  }

  #wait(trial: WayTrial): void {
    this.#state = { is: "waiting", trial, notBeforeMs: this.#config.timer.now() + RETRY_MS };
  }

  #conclude(verdict: WayVerdict): void {
    if (this.#isOver) return;
    this.#verdicts.push(verdict);
    // A GPU that answers otherwise than WASM answers no longer than it has to: the other ways are measured after the change.
    this.#state = isOtherwise(this.#own, verdict) ? { is: "over" } : this.#next();
    if (!this.#isOver) return this.#keep(null);
    const best = bestOf(this.#own, this.#verdicts);
    this.#keep(best);
    if (!isSameWay(best, this.#own)) void this.#change(best);
  }

  /** Watches the best way once the model runs in it, or measures what is left. */
  async #change(best: Way): Promise<void> {
    this.#state = { is: "changing" };
    const why = this.#verdicts.find(({ trial }) => isSameWay(trial, best))?.trial.reason ?? "";
    const wrong = this.#verdicts.some((verdict) => isOtherwise(this.#own, verdict)) ? this.#own.provider : null;
    const hasChanged = await this.#config.change(best, why, wrong);
    if (this.#isOver) return;
    // What has answered otherwise once may agree by chance another time.
    const right = this.#verdicts.filter(({ trial }) => trial.agrees !== false);
    const measured = [this.#own, ...right.map(({ trial }) => wayOf(trial))];
    this.#own = best;
    this.#trials = [];
    this.#verdicts = [];
    this.#ownMsPerItem.clear();
    const others = measured.filter((way) => !isSameWay(way, best) && way.provider !== wrong);
    this.#state = hasChanged ? this.#goOn(others) : { is: "over" };
  }

  /** @param measured the other ways that were measured, and may be measured again */
  #goOn(measured: Way[]): State {
    if (this.#left.length > 0) return this.#next();
    this.#left = measured;
    this.#minGain = MIN_GAIN_BACK;
    return this.#begin();
  }

  #next(): State {
    const way = this.#left.shift();
    if (way === undefined) return { is: "over" };
    const isBegun = (begun: UnfinishedWay) => isSameWay(begun, way) && isSameWay(begun.own, this.#own);
    const gains = this.#known?.unfinished.find(isBegun)?.gains;
    const trial = new WayTrial(way, gains, this.#minGain);
    this.#trials.push(trial);
    return { is: "waiting", trial, notBeforeMs: -Infinity };
  }

  /** Stores what is measured so far. @param best `null` before all ways are measured */
  #keep(best: Way | null): void {
    this.#known = this.#record(best);
    this.#config.keep(this.#known);
  }

  #record(best: Way | null): WayRecord {
    if (best !== null)
      return { best, trials: this.#finished(best), unfinished: [], measuredAtMs: this.#config.today() };
    const unfinished = this.#trials.map(({ way, gains }) => ({ ...way, own: this.#own, gains }));
    return { best: null, trials: [], measuredAtMs: 0, ...this.#known, unfinished };
  }

  #finished(best: Way): readonly MeasuredWay[] {
    const own = this.#own;
    const trials = this.#verdicts.map(({ trial }) => ({ ...trial, chosen: isSameWay(trial, best) }));
    const ownTrial = {
      ...own,
      chosen: isSameWay(own, best),
      reason: "the others were compared with it",
      msPerItem: Object.fromEntries(this.#ownMsPerItem),
      agrees: null,
    } satisfies MeasuredWay;
    return [ownTrial, ...trials];
  }
}

/**
 * Returns the fastest way that has won; without one, the model's own. If its answers differ from those of WASM, WASM,
 * whatever its speed.
 */
function bestOf(own: Way, verdicts: readonly WayVerdict[]): Way {
  const onWasm = verdicts.find((verdict) => isOtherwise(own, verdict));
  if (onWasm !== undefined) return wayOf(onWasm.trial);
  const [best] = verdicts.filter(({ trial }) => trial.chosen).toSorted((a, b) => b.gain - a.gain);
  return best === undefined ? own : wayOf(best.trial);
}

/** Whether the model is not on WASM, whose answers differ from its own. */
function isOtherwise(own: Way, { trial }: WayVerdict): boolean {
  return own.provider !== "wasm" && trial.provider === "wasm" && trial.agrees === false;
}

/** What may be at fault itself, or cannot run again, must not run where nobody waits for its end. */
function mayMove({ isStep, mayRepeat }: Run): boolean {
  return !isStep && mayRepeat;
}

function boundWay(way: Way): MeasuredWay {
  return { ...way, chosen: false, reason: BOUND, msPerItem: {}, agrees: null };
}

function wayOf({ provider, numThreads }: Way): Way {
  return { provider, numThreads };
}

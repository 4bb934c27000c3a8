import type { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { ErrorCode } from "@framebatch/batcher/errors/error-codes.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { BatchCheck, TimedRun } from "../../transport/protocol.js";
import type { Trust } from "../engine/model-engine.js";
import type { ModelSession } from "../workers/model-session.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import type { ItemVolumes } from "./item-kind.js";
import type { ModelEventTarget } from "./model-events.js";
import type { FrameClock } from "@framebatch/host/clock.js";
import { CostModel, type CostModelData } from "@framebatch/batcher/cost/cost-model.js";

type Learner = Pick<Batcher<unknown, unknown>, "learn" | "limitBatchSize" | "trust">;

/** Collects what the workers of a model find out about batches and run times, and applies it to the batcher. */
export class WorkerFindings implements Trust {
  readonly #report: (error: FramebatchError) => void;
  #learner: Learner | null = null;
  #volumes: ItemVolumes | null = null;
  #check: BatchCheck | null = null;
  /** Whether batches are trusted on the provider of every worker. Until then, the model runs item by item. */
  isTrusted = false;
  /** Number of rows in every run of the model, if it is fixed above 1; otherwise `null`. */
  #fixedRows: number | null = null;
  readonly #reported = new Set<ErrorCode>();

  /** @param report reports the error if the model must run item by item, or if the answers of its provider are wrong */
  constructor(report: (error: FramebatchError) => void) {
    this.#report = report;
  }

  /** Sets the batcher that later findings apply to. */
  applyTo(learner: Learner, volumes: ItemVolumes): void {
    this.#learner = learner;
    this.#volumes = volumes;
  }

  /** See `Trust`. */
  refusal(isAlone: boolean): FramebatchError | null {
    if (this.isTrusted || this.#check === null) return null;
    const { outcome, reason } = this.#check;
    if (isAlone && (this.#fixedRows === null || outcome !== "failed")) return null;
    return new FramebatchError(
      "BATCH_UNSAFE",
      `expected rows to be independent, got ${reason}; export the model with a dynamic batch`,
    );
  }

  /** Reads the findings of all sessions of a pool, and applies them to the batcher. */
  read({ slots, isSettled, providerCheck }: Pick<WorkerPool, "slots" | "isSettled" | "providerCheck">): void {
    const sessions = slots.map(({ session }) => session);
    const check = jointCheck(sessions);
    const { fixedBatch = null } = sessions[0]?.model.signature ?? {};
    this.#check = check;
    this.isTrusted = isTrusted(check);
    this.#fixedRows = fixedBatch === 1 ? null : fixedBatch;
    for (const { model } of sessions) if (model.maxRows !== null) this.#learner?.limitBatchSize(model.maxRows);
    this.#learner?.trust(this.isTrusted);
    if (!isSettled) return;
    if (check.outcome === "failed") this.#reportOnce("BATCH_UNSAFE", `the model runs item by item: ${check.reason}`);
    const provider = sessions[0]?.model.provider;
    // On another provider, this visit has left the wrong one, or an earlier visit has said it.
    const isNews = !providerCheck.fromCache || provider === providerCheck.provider;
    if (providerCheck.outcome === "failed" && isNews)
      this.#reportOnce("PROVIDER_WRONG", `the model runs on ${provider}: ${providerCheck.reason}`);
  }

  /** Records the time of a background run of the warm-up. */
  onTimed(run: TimedRun): void {
    this.#volumes?.whenKnown((factor) => this.#learner?.learn(run.size, factor * run.volume, callMs(run)));
  }

  #reportOnce(code: ErrorCode, message: string): void {
    if (!this.#reported.has(code)) this.#report(new FramebatchError(code, message));
    this.#reported.add(code);
  }
}

function isTrusted({ outcome }: BatchCheck): boolean {
  return outcome === "passed" || outcome === "skipped";
}

/**
 * Combines the checks of several sessions into one, for batches that may run on any of them. One failed check decides
 * for all sessions. A passed check also applies to inconclusive sessions on the same provider.
 */
export function jointCheck(sessions: readonly ModelSession[]): BatchCheck {
  const verdicts = sessions.map(({ model, batchCheck }) => ({ provider: model.provider, check: batchCheck() }));
  const joint = verdicts.map(({ provider, check }) => {
    const trusted = verdicts.find((other) => other.provider === provider && isTrusted(other.check));
    return check.outcome === "inconclusive" ? (trusted?.check ?? check) : check;
  });
  const first =
    joint.find(({ outcome }) => outcome === "failed") ?? joint.find((check) => !isTrusted(check)) ?? joint[0];
  if (first === undefined) throw new RangeError("expected a session, got none");
  return first;
}

/** Number of batches after which the costs are saved first. They are saved again each time that number doubles. */
const FIRST_BATCHES = 64;

/**
 * Saves what a batcher has learned about run times for later sessions: after more and more batches, and when the tab is
 * hidden. It sets no timers.
 */
export class LearnedCosts {
  readonly #read: () => CostModelData;
  readonly #keep: (costs: CostModelData) => void;
  #batches = 0;
  #keptBatches = 0;
  #next = FIRST_BATCHES;

  constructor(read: () => CostModelData, keep: (costs: CostModelData) => void) {
    this.#read = read;
    this.#keep = keep;
  }

  /** Counts a batch that has run, and saves the costs when it is time to. */
  onBatch(): void {
    this.#batches += 1;
    if (this.#batches < this.#next) return;
    this.#next *= 2;
    this.keep();
  }

  /** Saves the costs if a batch has run since the last time. */
  keep(): void {
    if (this.#keptBatches === this.#batches) return;
    this.#keptBatches = this.#batches;
    this.#keep(this.#read());
  }

  /** Saves the costs each time the tab is hidden, until the model is disposed. */
  saveWhenHidden(frames: FrameClock, events: ModelEventTarget): void {
    const stop = frames.onVisibilityChange(() => {
      if (frames.isHidden()) this.keep();
    });
    events.add("statechange", ({ detail }) => {
      if (detail.state === "disposed") stop();
    });
  }
}

/** Time that a call to the worker adds to the run, round trip, in milliseconds. Measured with Comlink in Chromium. */
const CALL_MS = 0.1;

/**
 * Returns what is known about run times before the first batch: what an earlier session learned, updated with the runs
 * of the warm-up.
 * @param learned costs of an earlier session; `null` if there are none
 */
export function costDataFrom(timings: readonly TimedRun[], learned: CostModelData | null = null): CostModelData {
  const cost = new CostModel(Math.max(1, ...timings.map(({ size }) => size)));
  if (learned !== null) cost.restore(learned);
  for (const run of timings) cost.observe(run.size, run.volume, callMs(run));
  return cost.toData();
}

/** Returns the same costs with all volumes multiplied by `factor`, see `ItemVolumes`. */
export function withVolumes(costs: CostModelData, factor: number): CostModelData {
  const shapes = costs.shapes.map((shape) => ({
    ...shape,
    volume: factor * shape.volume,
    meanVolume: factor * shape.meanVolume,
  }));
  return { ...costs, shapes };
}

/** Returns the time of a run as the page sees it, in milliseconds: its time in the worker and the call. */
function callMs({ ms }: TimedRun): number {
  return ms + CALL_MS;
}

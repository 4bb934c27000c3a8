import { type ExecutionProvider, isSameWay, type Way } from "../../transport/providers.js";
import { BUILD_BYTES, type BuildNeeds, chooseBuild } from "../../transport/runtime-builds.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import type { BatchCheck } from "../../transport/protocol.js";
import { connection, holdIfFree, isHidden, memoryGiB } from "@framebatch/host/page.js";
import type { LoadPlan, openSession } from "../workers/model-session.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { WayComparison, type WayComparisonConfig } from "./way-comparison.js";
import type { OtherWorker } from "./way-trial.js";

/** A way is worth a trial if one that is half as fast again would have saved as much as the trial takes to start. */
const LEAST_SAVING = 1 / 3;

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
      return (loadMs + downloadMs(way.provider, provider, needs, otherBytes)) / LEAST_SAVING;
    },
    // A model that has left its way for another reason has nothing more to compare with.
    mayTry: (own) => mayTry() && pool.state === "ready" && isSameWay(pool.session.model, own),
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
function mayTry(): boolean {
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

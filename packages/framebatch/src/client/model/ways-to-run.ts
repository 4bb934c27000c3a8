import type { Batcher } from "../../core/batcher/batcher.js";
import { type ExecutionProvider, traitsOf, type Way } from "../../core/providers.js";
import { hostTimer } from "../../time/host-timer.js";
import { connection, isHidden, memoryGiB } from "../page/host.js";
import { FilesByProvider } from "../workers/files-by-provider.js";
import { type LoadPlan, openSession } from "../workers/model-session.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { type OtherWorker, WayComparison } from "./way-comparison.js";

/** A way is worth a trial if one that is half as fast again would have saved as much as the trial takes to start. */
const LEAST_SAVING = 1 / 3;

/** Size of the files of ONNX Runtime by the kind of build, in bytes; the larger build where there are two. */
const BUILD_BYTES = { plain: 14.2e6, accelerated: 26.8e6 } as const;

/** Assumed rate of a connection that the browser tells nothing about, in bytes per millisecond: 10 Mbit/s. */
const USUAL_BYTES_PER_MS = 1250;

const MIN_MEMORY_GIB = 4;

/**
 * Compares the ways to run a model that has computed for a while.
 * @param loadMs how long it took to load, in milliseconds
 */
export function compareWays(
  pool: WorkerPool,
  plan: LoadPlan,
  loadMs: number,
  batcher: Pick<Batcher<unknown, unknown>, "pause" | "resume">,
): WayComparison {
  const { provider, numThreads, otherWays, ways, modelBytes, signature } = pool.session.model;
  // The file of another provider is as large as the own one, as far as is known.
  const otherBytes = plan.files instanceof FilesByProvider ? modelBytes : 0;
  return new WayComparison({
    own: { provider, numThreads },
    others: otherWays,
    known: ways,
    worthAfterMs: (way) => {
      return (loadMs + downloadMs(way.provider, provider, otherBytes)) / LEAST_SAVING;
    },
    mayMeasure,
    open: (way) => openOn({ ...plan, request: { ...plan.request, signature } }, way),
    agreement: plan.request.agreement,
    pause: () => batcher.pause(),
    // While a worker is being replaced, the pool holds the batches back.
    resume: () => pool.state === "ready" && batcher.resume(),
    keep: (record) => pool.session.client.learn({ ways: record }),
    timer: hostTimer,
  });
}

/** Returns false while a trial would disturb: in a hidden tab, or where data or memory are short. */
function mayMeasure(): boolean {
  return !isHidden() && !connection().savesData && (memoryGiB() ?? Infinity) >= MIN_MEMORY_GIB;
}

/**
 * Returns how long the files of another provider take to arrive, in milliseconds: its build, if the browser does not have
 * it, and its own model.
 */
function downloadMs(other: ExecutionProvider, own: ExecutionProvider, modelBytes: number): number {
  const { build } = traitsOf(other);
  const buildBytes = build === traitsOf(own).build ? 0 : BUILD_BYTES[build];
  const bytes = buildBytes + (other === own ? 0 : modelBytes);
  return bytes / (connection().bytesPerMs ?? USUAL_BYTES_PER_MS);
}

/** Starts a worker that runs the model in another way. It makes no check, and reports nothing. */
async function openOn(plan: LoadPlan, { provider, numThreads }: Way): Promise<OtherWorker> {
  const ended = new AbortController();
  const ignore = () => undefined;
  const request = { ...plan.request, numThreads, isAutomatic: false, verifyBudgetMs: null };
  const quiet: LoadPlan = { ...plan, request, onProgress: ignore, onWarning: ignore, onTimed: ignore };
  const { client } = await openSession(quiet, [provider], ended.signal, { onChecked: ignore, onDeath: ignore });
  return { client, close: () => client.terminate(new Error("the other way has been measured")) };
}

/**
 * The entry of the worker, for modules with handlers. Importing it in a worker starts the worker's side of framebatch.
 * @module framebatch/worker
 */
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { type ServedNotice, serve as serveCalls } from "../transport/serve.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import { marked } from "../transport/transport.js";
import type { WorkerNotice } from "../transport/protocol.js";
import { VERSION } from "../transport/version.js";
import { holdLock } from "./host/held-lock.js";
import { SessionHost } from "./host/session-host.js";
import { after } from "@framebatch/host/host-timer.js";
import type { Handlers, ServedEngine } from "../handlers/worker/handlers.js";
import { Registration } from "../handlers/worker/registration.js";
import { GroupHost } from "../groups/worker/group-host.js";
import { startShared } from "../shared-tabs/worker/shared-session.js";
import { guardHeaps, limitHeaps } from "./ort/heap-guard.js";
import { nextTask } from "./ort/next-task.js";

export { passOn } from "../handlers/worker/handlers.js";
export { slide } from "../handlers/worker/handlers.js";
export type {
  ChoiceContext,
  EngineLoadContext,
  EngineRunContext,
  HandlerContext,
  Handlers,
  Passing,
  PostprocessContext,
  Prepared,
  ServedEngine,
} from "../handlers/worker/handlers.js";

const registration = new Registration();

start();

/**
 * Gives this worker the handlers that run next to its model, or an engine of your own in place of a model:
 * transformers.js or any other code. Call it once, in the module of a worker that `createBatchedModel` starts by its
 * option `worker`, or `createBatchedWorker` for an engine.
 * @param functions handlers (`begin`, `preprocess`, `postprocess`; `choose` for a model that generates texts) or an
 * engine (`load`, `run`, `agrees`, `dispose`)
 * @throws INVALID_OPTION for a second call, or a value that is not an object of functions
 * @example
 * ```ts
 * // reader.worker.ts
 * import type { OutputsOf } from "framebatch";
 * import { serve } from "framebatch/worker";
 * import { imageToTensor, softmax, topK, type RankedScore } from "framebatch/handlers";
 *
 * interface Digits {
 *   inputs: { image: Float32Array };
 *   outputs: { logits: Float32Array };
 * }
 *
 * serve<ImageBitmap, RankedScore[]>({
 *   preprocess: (image) => imageToTensor(image, { height: 28, width: 28, channels: "GRAY" }),
 *   postprocess: ({ logits }: OutputsOf<Digits>) => topK(softmax(logits), 3),
 * });
 * ```
 * @example
 * ```ts
 * // embed.worker.ts
 * import { pipeline, type FeatureExtractionPipeline } from "@huggingface/transformers";
 * import { serve } from "framebatch/worker";
 *
 * let extract: FeatureExtractionPipeline;
 * serve<string, number[]>({
 *   load: async () => void (extract = await pipeline("feature-extraction", "Xenova/all-MiniLM-L6-v2")),
 *   run: async (texts) => (await extract([...texts], { pooling: "mean", normalize: true })).tolist(),
 * });
 * ```
 */
// One signature, because of several the compiler reports each mistake against the last. `run` tells an engine from
// handlers.
export function serve<Input = Item, Output = Outputs, Passed = undefined, Memory = undefined>(
  functions: (Handlers<Input, Output, Passed, Memory> & { readonly run?: never }) | ServedEngine<Input, Output>,
): void {
  registration.register(functions);
}

/**
 * Gives this worker the handlers of one model of a group. The page names them:
 * `createBatchedModel(url, { group, handlers: "mel" })`.
 * @throws INVALID_OPTION for a second call with the same name, and a value that is not an object of functions
 * @example
 * ```ts
 * // words.worker.ts
 * import type { OutputsOf } from "framebatch";
 * import { serve } from "framebatch/worker";
 * import { softmax, topK } from "framebatch/handlers";
 *
 * interface Words {
 *   inputs: { frames: Float32Array };
 *   outputs: { scores: Float32Array };
 * }
 *
 * serve.model("mel", { preprocess: (samples: Float32Array) => ({ audio: samples }) });
 * serve.model("words", { postprocess: ({ scores }: OutputsOf<Words>) => topK(softmax(scores), 3) });
 * ```
 */
serve.model = function model<Input = Item, Output = Outputs, Passed = undefined, Memory = undefined>(
  name: string,
  handlers: Handlers<Input, Output, Passed, Memory>,
): void {
  registration.registerModel(name, handlers);
};

function start(): void {
  if ("onconnect" in globalThis) startShared(guardHeaps());
  else if (isDedicatedWorker()) startDedicated();
}

/**
 * Elsewhere this module only exports: a page may share a module that imports `slide`, a test in Node one with handlers,
 * and neither may get the listeners of a worker. Some workers have a `document` or a `window`, for a library that wants
 * them.
 */
function isDedicatedWorker(): boolean {
  return "postMessage" in globalThis && !("Window" in globalThis);
}

function startDedicated(): void {
  const say = (notice: WorkerNotice) => postMessage(marked(notice));
  const heapBytes = guardHeaps(() => !registration.hasEngine);
  const lifeline = holdLifeline();
  const told = lifeline.then((lock) => lock !== null && say({ notice: "alive", lock }));
  const host = new SessionHost(say, registration, heapBytes, null, told);
  const group = new GroupHost(registration, heapBytes, (maxBytes) => limitHeaps(maxBytes, heapBytes), lifeline);
  const onNotice = (notice: ServedNotice) => {
    if ("wakeInMs" in notice) after(notice.wakeInMs, () => say({ notice: "wake" }));
    else if ("shutDown" in notice) void host.shutDown().then(() => say({ notice: "shutDown" }));
    else host.hear(notice);
  };
  serveCalls(host, onNotice, undefined, (request) => group.join(request));
  // A browser reports every other error of a worker to the page.
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    say({ notice: "lost", error: encodeError(event.reason) });
  });
  // In a later task: if the rest of the user's module throws, this worker has not started.
  void nextTask().then(() => say({ notice: "ready", version: VERSION }));
}

/**
 * Holds a Web Lock until this worker ends for any reason. The page detects the end by waiting for the lock. Resolves
 * with its name once this worker holds it, or with `null`.
 *
 * Only in Chromium, the only browser known to keep a page that holds a lock in its back/forward cache. Firefox (153)
 * does not keep such a page, and returning to it at once is worth more than detecting a rare end some seconds sooner.
 * Holds none where locks are missing, for example on a page loaded over http, or refused.
 */
function holdLifeline(): Promise<string | null> {
  if (!("locks" in navigator) || !("userAgentData" in navigator)) return Promise.resolve(null);
  const name = `framebatch-${crypto.randomUUID()}`;
  return new Promise((resolve) => void holdLock(name, () => resolve(name)).catch(() => resolve(null)));
}

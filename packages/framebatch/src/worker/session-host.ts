import { transfer } from "comlink";
import { encodeError, FramebatchError } from "../core/errors.js";
import type { LoadReply, LoadRequest, RunReply, RunRequest, Trial, WorkerApi, WorkerNotice } from "../core/protocol.js";
import { transferList } from "../core/transfer-list.js";
import { tryProvider, type Backend } from "./backend-trial.js";
import { ModelStore, type StoredModel } from "./model-store.js";
import { OrtLock } from "./ort-lock.js";
import { deviceLost, runError } from "./runtime-error.js";
import { fromOutputs, toFeeds } from "./tensor-bridge.js";

/** Errors that no other provider would cure. */
const FINAL_CODES: ReadonlySet<string> = new Set(["MODEL_INVALID", "INVALID_OPTION"]);

/** Holds the one session of a worker. It is never released: a worker ends by being terminated, which frees everything. */
export class SessionHost implements WorkerApi {
  readonly #say: (notice: WorkerNotice) => void;
  readonly #lock = new OrtLock();
  #backend: Backend | null = null;
  /** Once set, nothing runs any more: a second run on a lost device can block the worker for ever. */
  #lost: FramebatchError | null = null;

  constructor(say: (notice: WorkerNotice) => void) {
    this.#say = say;
  }

  async load(request: LoadRequest): Promise<LoadReply> {
    const trials: Trial[] = [];
    try {
      const model = await this.#obtain(request);
      const reply = await this.#lock.run(() => this.#choose(model, request, trials));
      await model.saved;
      return reply.outcome === "spent" ? transfer(reply, [reply.bytes]) : reply;
    } catch (error) {
      return { outcome: "failed", trials, error: encodeError(error) };
    }
  }

  async run({ feeds }: RunRequest): Promise<RunReply> {
    const reply = await this.#lock.run(() => this.#run(feeds));
    return reply.ok ? transfer(reply, transferList(reply.outputs)) : reply;
  }

  async #obtain({ location, cache, integrity, stallTimeoutMs }: LoadRequest): Promise<StoredModel> {
    const store = new ModelStore({
      cache,
      integrity,
      stallTimeoutMs,
      onProgress: (progress) => this.#say({ notice: "progress", provider: null, ...progress }),
      onWarning: (error) => this.#say({ notice: "warning", error: encodeError(error) }),
    });
    return "url" in location ? store.obtain(location.url) : store.accept(location.bytes);
  }

  /** Tries the providers in order, until one runs or this worker is spent. */
  async #choose({ bytes, fromCache }: StoredModel, request: LoadRequest, trials: Trial[]): Promise<LoadReply> {
    const totalBytes = bytes.byteLength;
    for (const provider of request.providers) {
      const result = await tryProvider(provider, bytes, request, (phase) =>
        this.#say({ notice: "progress", provider, phase, loadedBytes: totalBytes, totalBytes }),
      );
      const reason = result.kind === "failed" ? result.error.message : result.reason;
      trials.push({ provider, chosen: result.kind === "ready", reason });
      if (result.kind === "ready") {
        const { signature, padding, adapter, timings } = this.#adopt(result.backend);
        const model = { signature, padding, provider, adapter, modelBytes: totalBytes, fromCache, timings };
        return { outcome: "ready", trials, model };
      }
      if (result.kind === "failed") {
        const isLast = provider === request.providers.at(-1);
        if (isLast || FINAL_CODES.has(result.error.code)) throw result.error;
        return { outcome: "spent", trials, bytes, fromCache };
      }
    }
    const last = trials.at(-1);
    throw new FramebatchError("UNSUPPORTED", `no execution provider works here: ${last?.provider}: ${last?.reason}`);
  }

  #adopt(backend: Backend): Backend {
    this.#backend = backend;
    void backend.device?.lost.then(({ message, reason }) => this.#lose(deviceLost(message || reason)));
    return backend;
  }

  async #run(feeds: RunRequest["feeds"]): Promise<RunReply> {
    if (this.#lost !== null) return failure(this.#lost, true);
    if (this.#backend === null)
      return failure(new FramebatchError("INFERENCE_FAILED", "expected a loaded model, got none"), true);
    const { runtime, session } = this.#backend;
    try {
      const startedAtMs = performance.now();
      const results = await session.run(toFeeds(runtime, feeds));
      const inferenceMs = performance.now() - startedAtMs;
      // What was read back from a device that is gone is not an answer.
      return this.#lostOr({ ok: true, outputs: fromOutputs(results), inferenceMs });
    } catch (thrown) {
      const { error, fatal } = runError(thrown);
      if (fatal) this.#lose(error);
      return this.#lostOr(failure(error, fatal));
    }
  }

  #lostOr(reply: RunReply): RunReply {
    return this.#lost === null ? reply : failure(this.#lost, true);
  }

  #lose(error: FramebatchError): void {
    if (this.#lost !== null) return;
    this.#lost = error;
    this.#say({ notice: "lost", error: encodeError(error) });
  }
}

function failure(error: FramebatchError, fatal: boolean): RunReply {
  return { ok: false, error: encodeError(error), fatal };
}

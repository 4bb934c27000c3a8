import { Batcher } from "../../core/batcher/batcher.js";
import { Collator } from "../../core/collate/collator.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import { resolveSignature } from "../../core/model/batch-axis.js";
import { planPadding } from "../../core/padding/plan.js";
import type { Outputs } from "../../core/tensor/tensor.js";
import { startTimeoutFor } from "../../time/hang-watchdog.js";
import { hostTimer } from "../../time/host-timer.js";
import { resolveBatcherOptions } from "../options/batcher-options.js";
import { checkRemoteModelOptions, type RemoteModelOptions } from "../options/remote-options.js";
import { createFrameClock } from "../page/frame-clock.js";
import { createPageClock } from "../page/page-clock.js";
import { RemoteEngine } from "../remote/remote-engine.js";
import { type RemoteHost, RemoteServer } from "../remote/remote-server.js";
import { sizeLimits } from "./batch-memory.js";
import { ModelEventTarget, asModelError } from "./model-events.js";
import type { ModelBackend } from "./page-model.js";
import { ServerBackedModel } from "./remote-model.js";
import { tensorRows } from "./tensor-items.js";

const PAGE: RemoteHost = { timer: hostTimer, random: Math.random };

/**
 * Creates a model on a server, as `createRemoteModel` does.
 * @throws the errors of `createRemoteModel`
 */
export async function createModelOn(
  url: string | URL,
  options: RemoteModelOptions,
  host: RemoteHost = PAGE,
): Promise<ServerBackedModel> {
  checkRemoteModelOptions(options);
  const batching = resolveBatcherOptions(options);
  const runTimeoutMs = options.runTimeoutMs ?? null;
  const server = new RemoteServer(url, options, host);
  const bounds = {
    signal: options.signal ?? new AbortController().signal,
    timeoutMs: startTimeoutFor(runTimeoutMs),
  };
  const { inputs, outputs } = await server.open(bounds);
  const signature = resolveSignature(inputs, outputs, options.batchAxis);
  const collator = new Collator(signature, planPadding(signature, options.padding), options.validate);
  const { admit, ...hooks } = tensorRows(collator, options);
  const clock = createPageClock();
  const events = new ModelEventTarget();
  const batcher = new Batcher<PreparedItem, Outputs>({
    ...batching,
    ...sizeLimits(signature, options, batching.maxBatchSize),
    ...hooks,
    clock,
    frames: createFrameClock(),
    engine: new RemoteEngine({ server, collator, outputs: signature.outputs, runTimeoutMs, timer: host.timer }),
    engines: options.instances ?? 1,
    onBatch: (batch) => events.dispatch("batch", batch),
    onError: (error) => events.dispatch("error", asModelError(error)),
  });
  return new ServerBackedModel({ signature, admit, batcher, events, clock }, backendOf(server, runTimeoutMs), server);
}

/** A server is always taken to be ready: only a request can tell. */
function backendOf(server: RemoteServer, runTimeoutMs: number | null): ModelBackend {
  const disposal = new AbortController();
  return {
    state: "ready",
    restart: () => server.checkReady({ signal: disposal.signal, timeoutMs: startTimeoutFor(runTimeoutMs) }),
    dispose: (error) => disposal.abort(error),
  };
}

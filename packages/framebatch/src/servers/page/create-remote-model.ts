import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { startTimeoutFor } from "@framebatch/host/watchdog.js";
import { createFrameClock, hostTimer, pageClock } from "@framebatch/host/host-timer.js";
import { batcherSettings } from "@framebatch/batcher/options/options.js";
import { OneSizeInFlight } from "@framebatch/remote/server/one-size-in-flight.js";
import { RemoteEngine } from "@framebatch/remote/server/remote-engine.js";
import { type CallBounds, type RemoteHost, RemoteServer } from "@framebatch/remote/server/remote-server.js";
import { checkServedBatch, sizeLimits } from "../../client/model/batch-memory.js";
import { asModelError, ModelEventTarget } from "../../client/model/model-events.js";
import { type ModelBackend, type ModelParts, TensorModel } from "../../client/model/page-model.js";
import { sharedResults } from "../../client/model/shared-results.js";
import { tensorRows } from "../../client/model/item-kind.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import { planChecks } from "@framebatch/rows/collate/input-range.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { RemoteMetadata } from "@framebatch/remote/server/metadata.js";
import type { RemoteModel, RemoteModelStats } from "../../client/options/model.js";
import { checkRemoteModelOptions, type RemoteModelOptions } from "./remote-model-options.js";

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
  const server = new RemoteServer(url, options, host);
  const collation = collationOf(await server.open(openingBounds(options)), options);
  return modelOn(server, { ...collation, outputs: collation.signature.outputs }, options, host);
}

/** Returns how long to wait for a server that is opened. */
export function openingBounds({ signal, runTimeoutMs }: RemoteModelOptions): CallBounds {
  return { signal: signal ?? new AbortController().signal, timeoutMs: startTimeoutFor(runTimeoutMs ?? null) };
}

/** What a model on a server takes and returns. */
export interface RemoteItems extends Collation {
  /** The outputs as the server describes them. */
  readonly outputs: readonly TensorInfo[];
}

/**
 * Connects the parts of a model on a server that is open.
 * @throws REMOTE_INVALID when the server fixes a batch that the page cannot make
 */
export function modelOn(
  server: RemoteServer,
  { signature, collator, outputs }: RemoteItems,
  options: RemoteModelOptions,
  { timer, random }: RemoteHost = PAGE,
): ServerBackedModel {
  checkServedBatch(signature);
  const batching = batcherSettings(options);
  const runTimeoutMs = options.runTimeoutMs ?? null;
  const { instances = 1, joins = true } = options;
  const engine = new RemoteEngine({ server, collator, outputs, runTimeoutMs, timer });
  // A server that joins requests joins each input, also one that is no list of rows.
  const canJoin = signature.inputs.every(({ batchAxis }) => batchAxis !== null);
  const { admit, ...hooks } = tensorRows(collator.reader, sharedResults(options));
  const events = new ModelEventTarget();
  const batcher = new Batcher<PreparedItem, Outputs>({
    ...batching,
    ...sizeLimits(signature, options, batching.maxBatchSize),
    ...hooks,
    clock: pageClock,
    frames: createFrameClock(),
    origin: "server",
    engine: joins ? new OneSizeInFlight(engine, { timer, random, instances, canJoin }) : engine,
    engines: instances,
    onBatch: (batch) => events.dispatch("batch", batch),
    onError: (error) => events.dispatch("error", asModelError(error)),
  });
  // Nothing shows whether the items of a batch decide together what each of them would get whole.
  if (signature.outputs.some(({ batchAxis }) => batchAxis === null)) batcher.trust(false);
  return new ServerBackedModel(
    { signature, admit, events, clock: pageClock },
    batcher,
    backendOf(server, runTimeoutMs),
    server,
  );
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

/** How items are checked and prepared. */
export interface Collation {
  readonly signature: ModelSignature;
  readonly collator: Collator;
}

/** Returns the collation for a model as its server describes it. @throws INVALID_OPTION; MODEL_INVALID */
export function collationOf(
  { inputs, outputs }: RemoteMetadata,
  { batchAxis, padding, validate }: Pick<RemoteModelOptions, "batchAxis" | "padding" | "validate">,
): Collation {
  const signature = resolveSignature(inputs, outputs, batchAxis);
  return {
    signature,
    collator: new Collator(signature, planPadding(signature, padding), planChecks(signature.inputs, validate)),
  };
}

type Parts = Omit<ModelParts<Item, PreparedItem, Outputs>, "queue">;

/** A `RemoteModel`: the page's side. */
export class ServerBackedModel extends TensorModel<Item, PreparedItem, Outputs> implements RemoteModel {
  readonly batcher: Batcher<PreparedItem, Outputs>;
  readonly #server: RemoteServer;

  constructor(parts: Parts, batcher: Batcher<PreparedItem, Outputs>, backend: ModelBackend, server: RemoteServer) {
    super({ ...parts, queue: batcher }, backend);
    this.batcher = batcher;
    this.#server = server;
  }

  stats(): RemoteModelStats {
    const { isBinary, retries } = this.#server;
    return { ...this.batcher.stats(), state: this.state, isBinary, retries };
  }
}

import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import type { ModelEventTarget } from "./model-events.js";
import type { ModelEvents, ModelState, PredictingModel, Predictor } from "../options/model.js";
import { type ModelRequestParts, ModelRequests } from "./model-requests.js";

/** What runs the batches of a model: its workers, or a server. */
export interface ModelBackend {
  readonly state: ModelState;
  restart(): Promise<void>;
  /** Ends it. Open and later runs reject with `error`. */
  dispose(error: FramebatchError): void;
}

/** The parts of a model. */
export interface ModelParts<Input, Row, Output> extends ModelRequestParts<Input, Row, Output> {
  readonly signature: ModelSignature;
  readonly events: ModelEventTarget;
}

/** The page's side of everything that predicts: what is the same wherever its batches run. */
export class PageModel<Input, Row, Output>
  extends ModelRequests<Input, Row, Output>
  implements Omit<Predictor<Input, Output>, "stats">
{
  readonly #parts: ModelParts<Input, Row, Output>;
  readonly #backend: ModelBackend;
  #isDisposed = false;

  constructor(parts: ModelParts<Input, Row, Output>, backend: ModelBackend) {
    super(parts);
    this.#parts = parts;
    this.#backend = backend;
  }

  get state(): ModelState {
    return this.#isDisposed ? "disposed" : this.#backend.state;
  }

  flush(): void {
    this.#parts.queue.flush();
  }

  resetStats(): void {
    this.#parts.queue.resetStats();
  }

  addEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
    options?: AddEventListenerOptions,
  ): void {
    this.#parts.events.add(type, listener, options);
  }

  removeEventListener<Type extends keyof ModelEvents>(
    type: Type,
    listener: (event: CustomEvent<ModelEvents[Type]>) => void,
  ): void {
    this.#parts.events.remove(type, listener);
  }

  restart(): Promise<void> {
    return this.#backend.restart();
  }

  dispose(): Promise<void> {
    this.end(
      new FramebatchError("DISPOSED", "expected a model in use, got one that was disposed of; create a new one"),
    );
    return Promise.resolve();
  }

  [asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Ends the model. Open and later requests reject with `error`. */
  end(error: FramebatchError): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#parts.queue.dispose(error);
    this.#backend.dispose(error);
    this.#parts.events.dispatch("statechange", { state: "disposed", error: null });
  }
}

/** The page's side of a model with tensors. */
export class TensorModel<Input, Row, Output>
  extends PageModel<Input, Row, Output>
  implements Omit<PredictingModel<Input, Output>, "stats">
{
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];

  constructor(parts: ModelParts<Input, Row, Output>, backend: ModelBackend) {
    super(parts, backend);
    this.inputs = parts.signature.inputs;
    this.outputs = parts.signature.outputs;
  }
}

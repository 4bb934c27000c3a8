import { copyItem, type PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { type RequestOptions, SETTLED_TICKET, type Sink, type Ticket } from "@framebatch/batcher/queue/request.js";
import type { DeviceTensor, Outputs, Tensor } from "@framebatch/rows/tensor/tensor.js";
import { optionError, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { KeepingModel } from "../options/grouped-model.js";
import type { LinkedAnswer } from "@framebatch/pipelines/builder/links.js";
import type { KeepingPredictOptions } from "../options/options.js";
import { checkModelPredictOptions } from "@framebatch/batcher/options/predict-options.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import type { InputPlan } from "@framebatch/rows/collate/input-plan.js";
import { enqueueAbortable } from "@framebatch/batcher/calls/abortable.js";
import type { ModelQueue } from "@framebatch/batcher/calls/stream-requests.js";
import type { Handles } from "./handles.js";
import type { AdmitHeld } from "./held-item.js";
import type { KeptItem } from "../options/kept-item.js";
import { inputsOf, KeptAnswer } from "./kept-answer.js";
import { byName, type KeptByName, KeptRow } from "./kept-row.js";
import type { KeptTensors } from "./kept-tensors.js";

/** What a model of a group needs to keep outputs in its worker. */
export interface ModelKeptParts {
  readonly signature: ModelSignature;
  readonly tensors: KeptTensors;
  readonly queue: ModelQueue<PreparedItem, Outputs>;
  /** Checks and copies an item, whose tensors may be in the worker. @throws INVALID_INPUT, DISPOSED */
  readonly admit: AdmitHeld;
  readonly handles: Handles;
  /** Of the model's inputs. */
  readonly plans: readonly InputPlan[];
}

/** The requests to a model of a group that leave outputs in the worker. */
export class ModelKept implements KeepingModel {
  readonly #parts: ModelKeptParts;

  constructor(parts: ModelKeptParts) {
    this.#parts = parts;
  }

  get signature(): ModelSignature {
    return this.#parts.signature;
  }

  get group(): object {
    return this.#parts.tensors;
  }

  /** Does what `predict` of a model does with the option `keepOnDevice`. */
  predict(
    item: unknown,
    { keepOnDevice: given, ...options }: KeepingPredictOptions,
  ): Promise<Record<string, Tensor | DeviceTensor>> {
    return new Promise((resolve, reject) => {
      const { admit, queue, tensors, handles } = this.#parts;
      const keepOnDevice: unknown = Array.isArray(given) ? [...given] : given;
      this.#checkNames(keepOnDevice);
      checkModelPredictOptions(options);
      if (!tensors.hasRoom) throw tensors.noRoom();
      const answered = (outputs: Outputs) => {
        const kept = takenFrom(row);
        resolve({ ...outputs, ...byName(Object.keys(kept), (name) => handles.give(kept[name]!)) });
      };
      const sink: Sink<Outputs> = { resolve: answered, reject };
      if (options.signal?.aborted !== true && queue.rejectIfFull(sink, options)) return;
      const row = admit(item, options.transfer === true, { outputs: keepOnDevice, needsOthers: true });
      enqueueAbortable(queue, row, sink, options);
    });
  }

  keepItem(item: unknown, options: ModelPredictOptions = {}): KeptItem {
    let inputs: Outputs = {};
    const outputs = new Promise<Outputs>((resolve, reject) => {
      const { admit, queue, plans } = this.#parts;
      checkModelPredictOptions(options);
      const sink: Sink<Outputs> = { resolve, reject };
      if (options.signal?.aborted !== true && queue.rejectIfFull(sink, options)) return;
      const row = admit(item, options.transfer === true, null);
      inputs = inputsOf(row, plans);
      enqueueAbortable(queue, row, sink, options);
    });
    return new KeptAnswer(inputs, outputs);
  }

  keep(item: unknown, outputs: readonly string[], sink: Sink<LinkedAnswer>, options: RequestOptions): Ticket {
    const { admit, tensors } = this.#parts;
    const row = admit(item, false, tensors.hasRoom ? { outputs, needsOthers: false } : null);
    const isWhole = row instanceof KeptRow && row.reads.length === 0;
    const copy = isWhole ? copyItem(row) : null;
    const resolve: Sink<Outputs>["resolve"] = (answer, ...details) =>
      sink.resolve({ tensors: { ...answer, ...takenFrom(row) }, copy }, ...details);
    return this.#enqueue(row, { resolve, reject: (error) => sink.reject(error) }, options);
  }

  read(item: unknown, sink: Sink<Outputs>, options: RequestOptions): Ticket {
    return this.#enqueue(this.#parts.admit(item, false, null), sink, options);
  }

  repeat(copy: PreparedItem, sink: Sink<Outputs>, options: RequestOptions): Ticket {
    return this.#enqueue(copy, sink, options);
  }

  #enqueue(row: PreparedItem, sink: Sink<Outputs>, options: RequestOptions): Ticket {
    const { queue } = this.#parts;
    if (!queue.rejectIfFull(sink, options)) return queue.enqueue(row, sink, options);
    queue.discard(row);
    return SETTLED_TICKET;
  }

  /** @throws INVALID_OPTION when a name is none of an output that may stay */
  #checkNames(names: unknown): asserts names is readonly string[] {
    const { outputs } = this.#parts.signature;
    if (!Array.isArray(names) || names.length === 0)
      throw optionError("keepOnDevice", "a list of outputs", names, 'write ["features"] with names of the model');
    const known = outputs.map(({ name }) => name);
    for (const name of names) if (!known.includes(name)) throw unknownNameError("keepOnDevice", "outputs", name, known);
  }
}

/** Returns what the run of a row has kept, which the receiver owns. */
function takenFrom(row: PreparedItem): KeptByName {
  return row instanceof KeptRow ? row.takeKept() : {};
}

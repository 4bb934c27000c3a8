import { copyItem, type PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { type RequestOptions, SETTLED_TICKET, type Sink, type Ticket } from "@framebatch/batcher/queue/request.js";
import {
  type DeviceTensor,
  givenIn,
  type Outputs,
  setOwn,
  type Tensor,
  type TensorInfo,
} from "@framebatch/rows/tensor/tensor.js";
import { optionError, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { KeepingModel } from "../../client/options/model-group.js";
import type { LinkedAnswer } from "@framebatch/pipelines/builder/links.js";
import type { KeepingPredictOptions } from "../../client/options/options.js";
import { checkModelPredictOptions } from "@framebatch/batcher/options/predict-options.js";
import type { ModelPredictOptions } from "@framebatch/batcher/options/options.js";
import { type InputPlan, dimsFor } from "@framebatch/rows/collate/input-plan.js";
import { enqueueAbortable } from "@framebatch/batcher/calls/abortable.js";
import type { ModelQueue } from "@framebatch/batcher/calls/stream-requests.js";
import type { AdmitHeld, Handles } from "./handles.js";
import type { KeptItem } from "../kept-item.js";
import { byName, type KeptByName, KeptRow } from "./kept-row.js";
import type { KeptTensors } from "./kept-tensors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { writable } from "@framebatch/rows/tensor/writing.js";

/** What a model of a group needs to keep outputs in its worker. */
export interface ModelKeptParts {
  readonly signature: ModelSignature;
  readonly tensors: KeptTensors;
  readonly queue: ModelQueue<PreparedItem, Outputs>;
  /** Checks and copies an item, whose tensors may be in the worker. @throws INVALID_INPUT, DISPOSED */
  readonly admit: AdmitHeld;
  readonly handles: Handles;
  /** The plans of the model's inputs. */
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

/** The usual name of what an encoder returns, and that of the input of a decoder which takes it. */
const STATES = "last_hidden_state";
const GIVEN_STATES = "encoder_hidden_states";
const OF_ENCODER = "encoder_";

/** The answer of a model to an item, for the texts of a decoder. */
export class KeptAnswer implements KeptItem {
  readonly outputs: Promise<Outputs>;
  readonly #inputs: Outputs;

  /** @param inputs the tensors of the item, which are its own */
  constructor(inputs: Outputs, outputs: Promise<Outputs>) {
    this.#inputs = inputs;
    this.outputs = outputs;
    outputs.catch(() => undefined);
  }

  async givenFor(inputs: readonly Pick<TensorInfo, "name">[]): Promise<Record<string, Tensor>> {
    const outputs = await this.outputs;
    const given: Record<string, Tensor> = {};
    for (const { name } of inputs) {
      const short = name.startsWith(OF_ENCODER) ? name.slice(OF_ENCODER.length) : name;
      const names = [name, short, ...(name === GIVEN_STATES ? [STATES] : [])];
      const all = names.map((each) => givenIn(outputs, each) ?? givenIn(this.#inputs, each));
      const tensor = all.find((found) => found !== undefined);
      if (tensor !== undefined) setOwn(given, name, tensor);
    }
    return given;
  }
}

/** Returns copies of the tensors of an item that are not in a worker. A mask that was left out is there. */
export function inputsOf({ data, sizes }: PreparedItem, plans: readonly InputPlan[]): Outputs {
  const inputs: Record<string, Tensor> = {};
  for (const [index, plan] of plans.entries()) {
    const own = data[index] ?? null;
    if (own === null && plan.maskValue === undefined) continue;
    const { type } = plan.element;
    const dims = dimsFor(plan, sizes);
    setOwn(inputs, plan.name, { type, dims, data: own === null ? filled(plan, dims) : own.slice() });
  }
  return inputs;
}

function filled({ element, maskValue }: InputPlan, dims: readonly number[]): Tensor["data"] {
  const data = element.create(volumeOf(dims));
  const elements = writable(data);
  for (let index = 0; index < data.length; index++) elements[index] = maskValue!;
  return data;
}

import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { dimsFor, type InputPlan } from "@framebatch/rows/collate/input-plan.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import { givenIn, setOwn } from "@framebatch/rows/tensor/record.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { Outputs, Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { KeptItem } from "../options/kept-item.js";

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

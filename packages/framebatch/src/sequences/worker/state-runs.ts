import type { StateTensor } from "@framebatch/rows/model/recurrence.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { StateData } from "../sequence-messages.js";
import type { DeviceAccess } from "../../worker/ort/device-memory.js";
import type { Serve } from "../../worker/session/feeds-reply.js";
import {
  DeviceStates,
  NOTHING_LEFT,
  type LeftOnDevice,
  type Ran,
  type StatedReply,
  type StatedRows,
} from "./device-states.js";
import { elementsOf, type HeldState, type Steps } from "./sequence-states.js";

/** The state after a step. */
export interface StateAfter {
  readonly state: HeldState;
  /** What the step returns of it; `null` if it returns nothing. */
  readonly returned: StateData | null;
}

/** Runs rows of one model from their states. */
export class StateRuns {
  readonly #states: readonly StateTensor[];
  /** `null` if the model runs on no GPU. */
  readonly #device: DeviceStates | null;

  /** @param kept `null` if the model runs on no GPU */
  constructor(signature: ModelSignature, states: readonly StateTensor[], kept: DeviceAccess | null = null) {
    this.#states = states;
    const memory = states.length === 0 ? null : (kept?.memory ?? null);
    this.#device = kept && memory && new DeviceStates(signature, states, { memory, mayStay: kept.mayStay });
  }

  /** Runs rows. The outputs that are states are in the reply, or have been left on the GPU. */
  async run(rows: StatedRows, serve: Serve): Promise<StatedReply> {
    const device = this.#device;
    if (device === null) {
      const feeds = rows.stack(this.#elements(rows.before.ofRows));
      return { reply: await serve((run) => run(feeds)), ...NOTHING_LEFT };
    }
    let left = NOTHING_LEFT;
    const reply = await serve(async (run) => {
      const { reply: ran, ...after } = await device.run(rows, run);
      left = after;
      return ran;
    });
    return { reply, ...left };
  }

  #elements(before: readonly HeldState[]): TensorData[][] {
    return this.#states.map((_, index) => before.map(({ tensors }) => elementsOf(tensors[index]!)));
  }

  /** Whether an output is in the reply of a run: no state is that has stayed on the GPU, or that no step needs. */
  isIn({ outputs }: Ran, output: string): boolean {
    return Object.hasOwn(outputs, output) || this.#states.every((state) => state.output.name !== output);
  }

  /**
   * Returns the states after the steps of a run, which the caller releases; `null` for a row without one.
   * @param elements returns the elements of an output that has not stayed on the GPU, row by row
   */
  after(
    steps: Steps,
    { onDevice, read }: LeftOnDevice,
    elements: (output: string) => readonly TensorData[],
  ): (StateAfter | null)[] {
    // A run without steps has computed no states.
    if (steps.every((step) => step === null)) return steps.map(() => null);
    const names = this.#states.map(({ output }) => output.name);
    const columns = names.map((name) => (onDevice.has(name) ? [] : elements(name)));
    return steps.map((step, row) => {
      if (step === null) return null;
      const state = { tensors: names.map((name, index) => onDevice.get(name)?.row(row) ?? columns[index]![row]!) };
      if (!step.returns) return { state, returned: null };
      const tensors = names.map((name, index) => read.get(name)?.get(row) ?? columns[index]![row]!);
      return { state, returned: { tensors } };
    });
  }
}

import { stateDims, type StateTensor } from "@framebatch/rows/model/recurrence.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { setOwn, type Tensor, type TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { StateData } from "../sequence-messages.js";
import { areRanges, type DeviceAccess, type DeviceMemory, readBack } from "../../worker/ort/device-memory.js";
import type { DeviceTensors, FeedsReply, RunModel, Serve } from "../../worker/session/feeds-reply.js";
import { elementsOf, type HeldState, type StatesBefore, type Steps } from "./sequence-states.js";
import {
  destroyAll,
  DeviceInputs,
  type DeviceRow,
  type DeviceRows,
  isOnDevice,
  type KeptRow,
  NONE_ON_DEVICE,
  type OutputsOnDevice,
} from "../../worker/ort/device-rows.js";

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

/** Rows of a model with states, ready to run. */
export interface StatedRows {
  readonly before: StatesBefore;
  readonly steps: Steps | undefined;
  readonly paddedSize: number;
  /**
   * Stacks the inputs.
   * @param ofStates the elements of each state, row by row; none of a state that is stacked already
   * @param isStacked whether an input is stacked already
   */
  readonly stack: (
    ofStates: readonly (readonly TensorData[])[],
    isStacked?: (input: string) => boolean,
  ) => Readonly<Record<string, Tensor>>;
}

/** The reply of a run that has succeeded. */
export type Ran = Extract<FeedsReply, { readonly ok: true }>;

/** What a run of them has left on the GPU. */
export interface LeftOnDevice {
  /** Outputs, none of which is in the reply. */
  readonly onDevice: OutputsOnDevice;
  /** The elements of those rows of them whose steps return the state. */
  readonly read: ReadonlyMap<string, ReadonlyMap<number, TensorData>>;
}

/** How a run of them has ended. */
interface StatedReply extends LeftOnDevice {
  readonly reply: FeedsReply;
}

const NOTHING_LEFT: LeftOnDevice = { onDevice: NONE_ON_DEVICE, read: new Map() };

/** Runs rows whose states stay on the GPU: as ranges of the buffers that their last runs have written. */
class DeviceStates {
  readonly #signature: ModelSignature;
  readonly #states: readonly StateTensor[];
  readonly #kept: DeviceParts;
  /** Whether ONNX Runtime writes the states into buffers that it is given; `null` before the first run. */
  #fits: boolean | null = null;

  constructor(signature: ModelSignature, states: readonly StateTensor[], kept: DeviceParts) {
    this.#signature = signature;
    this.#states = states;
    this.#kept = kept;
  }

  /** Runs rows in their turn. @throws DEVICE_LOST, and what `stack` throws */
  async run({ before, steps, paddedSize, stack }: StatedRows, run: RunModel): Promise<StatedReply> {
    const memory = await this.#kept.memory();
    const inputs = new DeviceInputs();
    try {
      const columns = await this.#inputs(before.ofRows, paddedSize, memory, inputs);
      const feeds = stack(columns, (name) => Object.hasOwn(inputs.tensors, name));
      const runInto: RunInto = (outputs) => run(feeds, { inputs: inputs.tensors, outputs });
      return await this.#runFrom(steps, paddedSize, memory, runInto);
    } finally {
      inputs.release();
    }
  }

  /** Stacks the states that are on the GPU there. Returns the elements of the others, state by state. */
  async #inputs(
    before: readonly HeldState[],
    paddedSize: number,
    memory: DeviceMemory,
    inputs: DeviceInputs,
  ): Promise<TensorData[][]> {
    const columns: TensorData[][] = [];
    for (const [index, state] of this.#states.entries()) {
      const rows = before.map(({ tensors }) => tensors[index]!);
      if (!this.#kept.mayStay()) columns.push(await readAll(rows, memory));
      else if (!rows.some(isOnDevice)) columns.push(rows.map(elementsOf));
      else {
        columns.push([]);
        const { name, batchAxis } = state.input;
        inputs.gather(
          name,
          rows.map((row) => tensorOf(row, state)),
          batchAxis!,
          paddedSize,
          memory,
        );
      }
    }
    return columns;
  }

  async #runFrom(
    steps: Steps | undefined,
    paddedSize: number,
    memory: DeviceMemory,
    runInto: RunInto,
  ): Promise<StatedReply> {
    const isNeeded = steps?.some((step) => step !== null) ?? false;
    const onDevice = isNeeded ? this.#reserve(paddedSize, memory) : NONE_ON_DEVICE;
    const reply = await runInto(this.#outputs(onDevice, isNeeded));
    if (reply.ok) return this.#replied(reply, steps, onDevice, memory);
    destroyAll(onDevice);
    if (reply.fatal || onDevice.size === 0 || this.#fits === true) return { reply, ...NOTHING_LEFT };
    const again = await runInto(this.#outputs(NONE_ON_DEVICE, isNeeded));
    if (again.ok) this.#fits = false;
    return { reply: again, ...NOTHING_LEFT };
  }

  async #replied(
    reply: FeedsReply,
    steps: Steps | undefined,
    onDevice: OutputsOnDevice,
    memory: DeviceMemory,
  ): Promise<StatedReply> {
    this.#fits ??= onDevice.size > 0 || null;
    try {
      return { reply, onDevice, read: await readReturned(steps ?? [], onDevice, memory) };
    } catch (thrown) {
      destroyAll(onDevice);
      throw thrown;
    }
  }

  /** Reserves memory for the next states. */
  #reserve(paddedSize: number, memory: DeviceMemory): OutputsOnDevice {
    const reserved = new Map<string, DeviceRows>();
    if (this.#fits === false || !this.#kept.mayStay() || !memory.hasRoom) return reserved;
    for (const { input, output } of this.#states) {
      if (!areRanges(input.type, stateDims(input).map(Number), input.batchAxis!)) continue;
      const axis = output.batchAxis!;
      const rows = memory.rows(output.type, stateDims(input).map(Number).toSpliced(axis, 0, paddedSize), axis);
      if (rows !== null) reserved.set(output.name, rows);
    }
    return reserved;
  }

  /** Returns the outputs to compute: all but the states, if nothing needs them. */
  #outputs(reserved: OutputsOnDevice, areStatesNeeded: boolean): DeviceTensors["outputs"] {
    const outputs: Record<string, DeviceRows["tensor"] | null> = {};
    for (const output of this.#signature.outputs) {
      const isState = this.#states.some((state) => state.output === output);
      if (areStatesNeeded || !isState) setOwn(outputs, output.name, reserved.get(output.name)?.tensor ?? null);
    }
    return Object.keys(outputs).length === 0 ? null : outputs;
  }
}

/** What a model that runs on a GPU needs. */
interface DeviceParts {
  readonly memory: () => Promise<DeviceMemory>;
  readonly mayStay: DeviceAccess["mayStay"];
}

type RunInto = (outputs: DeviceTensors["outputs"]) => ReturnType<RunModel>;

/** Reads back the states that steps return. */
async function readReturned(
  steps: Steps,
  onDevice: OutputsOnDevice,
  memory: DeviceMemory,
): Promise<StatedReply["read"]> {
  const rows = [...steps.keys()].filter((row) => steps[row]?.returns);
  const wanted = [...onDevice].flatMap(([name, all]) => rows.map((index) => ({ name, rows: all, index })));
  if (wanted.length === 0) return NOTHING_LEFT.read;
  const elements = await memory.read(wanted);
  const read = new Map<string, Map<number, TensorData>>();
  for (const name of onDevice.keys()) read.set(name, new Map());
  for (const [place, { name, index }] of wanted.entries()) read.get(name)!.set(index, elements[place]!);
  return read;
}

function tensorOf(row: TensorData | DeviceRow, { input }: StateTensor): KeptRow {
  return isOnDevice(row) ? row : { type: input.type, dims: stateDims(input).map(Number), data: row };
}

/** Returns the elements of rows, wherever they are. */
async function readAll(rows: readonly (TensorData | DeviceRow)[], memory: DeviceMemory): Promise<TensorData[]> {
  const read = await readBack(rows, memory);
  return rows.map((row) => (isOnDevice(row) ? read.get(row)! : row));
}

import { type AnsweredRows, sizesOfRows, type RowTensors, tensorsOf } from "@framebatch/rows/collate/sent-rows.js";
import type { Collator } from "@framebatch/rows/collate/collator.js";
import { type InputPlan, planInputs } from "@framebatch/rows/collate/input-plan.js";
import { type OutputPlan, planOutput } from "@framebatch/rows/collate/split.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";
import { setOwn, type Tensor, type TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { KeptColumn } from "../kept-messages.js";
import type { RowsRequest } from "../../transport/protocol.js";
import type { FeedsReply, RunModel, Serve, DeviceTensors } from "../../worker/session/feeds-reply.js";
import type { DeviceMemory } from "../../worker/ort/device-memory.js";
import {
  destroyAll,
  type DeviceRows,
  NONE_ON_DEVICE,
  orDestroy,
  type OutputsOnDevice,
} from "../../worker/ort/device-rows.js";
import { KeptInputs, type KeptParts, type KeptRows } from "./kept-rows.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";

/** What `KeptRuns` needs of its model and its worker. */
export interface KeptRunParts extends KeptParts {
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  readonly collator: Collator;
}

/** A run that has ended, and its outputs on the GPU. */
export interface KeptReply {
  readonly reply: FeedsReply;
  readonly onDevice: OutputsOnDevice;
}

/**
 * Runs rows of one model that read tensors of this worker, or leave some in it. The contract is in the README of this
 * feature.
 */
export class KeptRuns {
  readonly #parts: KeptRunParts;
  readonly #inputs: readonly InputPlan[];
  readonly #outputs: readonly OutputPlan[];
  readonly #dims: OutputDims;

  constructor(parts: KeptRunParts) {
    const { signature, padding } = parts;
    this.#parts = parts;
    this.#inputs = planInputs(signature, padding);
    this.#outputs = signature.outputs.map((output) => planOutput(output, padding.extents, padding.extentBySymbol));
    this.#dims = new OutputDims(signature);
  }

  /** Runs rows. Everything that may wait for the GPU is part of their turn, so that runs stay in order. */
  async run(request: RowsRequest, serve: Serve): Promise<KeptReply> {
    let onDevice = NONE_ON_DEVICE;
    const reply = await serve(async (run) => {
      const memory = (await this.#parts.memory?.()) ?? null;
      const mayStay = this.#parts.mayStay();
      const inputs = await KeptInputs.of(request, this.#inputs, this.#parts.kept, memory, mayStay);
      try {
        const ran = await this.#run(request, inputs, mayStay ? memory : null, run);
        ({ onDevice } = ran);
        return ran.reply;
      } finally {
        inputs.release();
      }
    });
    return { reply, onDevice };
  }

  /**
   * Keeps what rows leave in the worker. Returns the answer for the page.
   * @param answer splits the outputs @throws what it throws; nothing is kept then
   */
  keep({ keeps = [] }: RowsRequest, answer: () => AnsweredRows, onDevice: KeptReply["onDevice"]): AnsweredRows {
    return orDestroy(onDevice, () => keepRows(keeps, answer(), onDevice, this.#parts.kept, this));
  }

  /** Releases everything that this model has computed. */
  release(): void {
    this.#parts.kept.releaseOf(this);
  }

  async #run(
    request: RowsRequest,
    { columns, tensors: inputs }: KeptInputs,
    memory: DeviceMemory | null,
    run: RunModel,
  ): Promise<KeptReply> {
    const { rows, paddedSize, extents } = request;
    const isStacked = (name: string) => Object.hasOwn(inputs, name);
    const feeds = this.#parts.collator.stackSent({ ...rows, columns }, paddedSize, extents, isStacked);
    const all = { ...feeds, ...inputs };
    const reserved = memory === null ? NONE_ON_DEVICE : this.#reserve(request, all, memory);
    const reply = await run(feeds, { inputs, outputs: this.#outputsOf(request, reserved) });
    if (reply.ok) {
      this.#learn(reply, all);
      return { reply, onDevice: reserved };
    }
    destroyAll(reserved);
    if (reply.fatal || reserved.size === 0) return { reply, onDevice: NONE_ON_DEVICE };
    // Perhaps only the predicted dims of an output were wrong.
    const again = await run(feeds, { inputs, outputs: this.#outputsOf(request, NONE_ON_DEVICE) });
    if (again.ok) for (const { info } of this.#outputs) if (reserved.has(info.name)) this.#dims.giveUp(info, all);
    return { reply: again, onDevice: NONE_ON_DEVICE };
  }

  /** Reserves memory of the GPU for the outputs that stay there. */
  #reserve(request: RowsRequest, feeds: Parameters<OutputDims["saw"]>[2], memory: DeviceMemory): OutputsOnDevice {
    const reserved = new Map<string, DeviceRows>();
    for (const keep of request.keeps ?? []) {
      const plan = this.#outputs.find(({ info }) => info.name === keep.name);
      if (plan === undefined || !areRanges(plan, keep, request)) continue;
      const dims = this.#dims.predict(plan.info, request.paddedSize, feeds);
      const rows = dims === null ? null : memory.rows(plan.info.type, dims);
      if (rows !== null) reserved.set(keep.name, rows);
    }
    return reserved;
  }

  #learn({ outputs }: Extract<FeedsReply, { ok: true }>, feeds: Parameters<OutputDims["saw"]>[2]): void {
    for (const { info } of this.#outputs) {
      const dims = outputs[info.name]?.dims;
      if (dims !== undefined) this.#dims.saw(info, dims, feeds);
    }
  }

  #outputsOf({ wants }: RowsRequest, reserved: OutputsOnDevice): DeviceTensors["outputs"] {
    if (wants === undefined && reserved.size === 0) return null;
    const outputs: Record<string, DeviceRows["tensor"] | null> = {};
    for (const { info } of this.#outputs) {
      const isWanted = wants?.includes(info.name) ?? true;
      if (isWanted) setOwn(outputs, info.name, reserved.get(info.name)?.tensor ?? null);
    }
    return outputs;
  }
}

/** Whether all rows of an output stay, as ranges of one tensor: the first axis counts them, and nothing is trimmed. */
function areRanges({ info, trimmed }: OutputPlan, { ids }: KeptColumn, { rows, extents }: RowsRequest): boolean {
  if (info.batchAxis !== 0 || info.isFolded === true || ids.includes(null)) return false;
  const isPadded = () => sizesOfRows(rows).some(({ sizes }) => sizes.some((size, index) => size !== extents[index]));
  return trimmed.length === 0 || !isPadded();
}

/** Maximum number of sizes to remember. Live audio has few, documents have many. */
const MAX_LEARNED = 256;

interface HasDims {
  readonly dims: readonly number[];
}

/**
 * Predicts the dims of outputs, for which the memory of the GPU is reserved before a run: from the model, or from an
 * earlier run with items of the same sizes.
 */
export class OutputDims {
  readonly #signature: ModelSignature;
  /** By output and sizes of items; `null` for an output that had other dims than predicted. */
  readonly #learned = new Map<string, readonly number[] | null>();

  constructor(signature: ModelSignature) {
    this.#signature = signature;
  }

  /**
   * Returns the dims of an output; `null` if they are not known.
   * @param feeds everything that has the dims of the feeds
   */
  predict(output: TensorInfo, rows: number, feeds: Readonly<Record<string, HasDims>>): readonly number[] | null {
    const learned = this.#learned.get(this.#keyOf(output, feeds));
    if (learned === null || output.batchAxis === null || output.isFolded === true) return null;
    const dims = (learned ?? output.dims).with(output.batchAxis, rows);
    return dims.every((size) => size !== null) ? dims : null;
  }

  /** Notes the dims that an output had. */
  saw(output: TensorInfo, dims: readonly number[], feeds: Readonly<Record<string, HasDims>>): void {
    const key = this.#keyOf(output, feeds);
    if (output.dims.includes(null) && !this.#learned.has(key)) this.#learn(key, dims);
  }

  /**
   * Predicts an output no longer for items of these sizes: a run has failed with the prediction, and not without it.
   */
  giveUp(output: TensorInfo, feeds: Readonly<Record<string, HasDims>>): void {
    this.#learn(this.#keyOf(output, feeds), null);
  }

  #learn(key: string, dims: readonly number[] | null): void {
    if (this.#learned.size >= MAX_LEARNED) this.#learned.clear();
    this.#learned.set(key, dims);
  }

  #keyOf({ name }: TensorInfo, feeds: Readonly<Record<string, HasDims>>): string {
    const sizes = this.#signature.inputs.map((input) =>
      feeds[input.name]?.dims.filter((_, axis) => axis !== input.batchAxis).join("x"),
    );
    return `${sizes.join(",")} ${name}`;
  }
}

/**
 * Keeps tensors of rows that have run, and returns the answer for the page: the tensors that stay have types and dims,
 * but no elements.
 * @param onDevice outputs that are on the GPU, none of whose rows goes to the page
 * @param owner the model that has computed them
 */
export function keepRows(
  keeps: readonly KeptColumn[],
  answered: AnsweredRows,
  onDevice: ReadonlyMap<string, DeviceRows>,
  kept: KeptRows,
  owner: object,
): AnsweredRows {
  const outputs: Record<string, RowTensors> = { ...answered };
  for (const { name, ids } of keeps) {
    const rows = onDevice.get(name);
    const tensors = rows === undefined ? rowsOf(answered[name] ?? [], ids) : ids.map((_, row) => rows.row(row));
    const left = tensors.map((tensor, row): Tensor => {
      const id = ids[row] ?? null;
      if (id !== null) kept.keep(id, tensor, owner);
      const { type, dims } = tensor;
      return id === null && "data" in tensor ? tensor : { type, dims, data: elementOf(type).create(0) };
    });
    setOwn(outputs, name, left);
  }
  return outputs;
}

/** Returns the tensor of each row. What goes to the page takes its memory along, so then each row has its own. */
function rowsOf(rows: RowTensors, ids: KeptColumn["ids"]): readonly Tensor[] {
  return ids.includes(null) ? tensorsOf(rows, ids.length) : viewsOf(rows, ids.length);
}

/** Returns the tensor of each row. They may share memory, which stays until the last one is released. */
function viewsOf(rows: RowTensors, count: number): readonly Tensor[] {
  if (!("data" in rows)) return rows;
  const { type, dims, data } = rows;
  const rowDims = dims.slice(1);
  const length = volumeOf(rowDims);
  return Array.from({ length: count }, (_, row) => {
    const [start, end] = [row * length, (row + 1) * length];
    return { type, dims: rowDims, data: "subarray" in data ? data.subarray(start, end) : data.slice(start, end) };
  });
}

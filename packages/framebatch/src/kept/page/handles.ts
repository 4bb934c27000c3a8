import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { KeptTensor, type KeptTensors } from "./kept-tensors.js";
import { type DeviceTensor, setOwn, type TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { type KeptRead, KeptRow, type RowKeeps } from "./kept-row.js";

/** Notes handles until they are garbage-collected. */
interface Registry {
  register(handle: object, tensor: KeptTensor, token: object): void;
  unregister(token: object): void;
}

/** Calls back with the tensor of a handle that was garbage-collected. */
type WatchHandles = (onForgotten: (tensor: KeptTensor) => void) => Registry;

const byCollector: WatchHandles = (onForgotten) => new FinalizationRegistry(onForgotten);

/** The handles that a model has given out. One that its owner forgets is released, and reported once. */
export class Handles {
  readonly #registry: Registry;
  readonly #report: (error: FramebatchError) => void;
  #hasReported = false;

  constructor(report: (error: FramebatchError) => void, watch: WatchHandles = byCollector) {
    this.#report = report;
    this.#registry = watch((tensor) => this.#forgotten(tensor));
  }

  /** Returns the handle of a tensor, which then belongs to it. */
  give(tensor: KeptTensor): DeviceHandle {
    const handle = new DeviceHandle(tensor, (disposed) => this.#registry.unregister(disposed));
    this.#registry.register(handle, tensor, handle);
    return handle;
  }

  #forgotten(tensor: KeptTensor): void {
    tensor.release();
    if (this.#hasReported) return;
    this.#hasReported = true;
    const message =
      "keepOnDevice: expected dispose() of every handle, got one that was garbage-collected, whose tensor was kept until now; call dispose() on each";
    this.#report(new FramebatchError("INVALID_OPTION", message, { details: { option: "keepOnDevice" } }));
  }
}

/** The caller's handle of a tensor that stays on the device. */
export class DeviceHandle implements DeviceTensor {
  readonly type: TensorType;
  readonly dims: readonly number[];
  readonly #onDispose: (handle: DeviceHandle) => void;
  #tensor: KeptTensor | null;

  /** @param tensor belongs to the handle */
  constructor(tensor: KeptTensor, onDispose: (handle: DeviceHandle) => void) {
    this.type = tensor.type;
    this.dims = tensor.dims;
    this.#tensor = tensor;
    this.#onDispose = onDispose;
  }

  /** The tensor. @throws DISPOSED */
  get tensor(): KeptTensor {
    if (this.#tensor !== null) return this.#tensor;
    throw new FramebatchError(
      "DISPOSED",
      "expected the handle of a tensor, got one that was disposed of; predict it again",
    );
  }

  dispose(): void {
    if (this.#tensor === null) return;
    this.#onDispose(this);
    this.#tensor.release();
    this.#tensor = null;
  }
}

/** Checks and copies an item. @param keeps what its row leaves in the worker; `null` for nothing */
export type AdmitHeld = (item: unknown, isMoved: boolean, keeps: RowKeeps | null) => PreparedItem;

/**
 * Returns what checks and copies the items of a model, whose tensors may be in the worker.
 * @param tensors those of the model's group
 * @throws INVALID_INPUT also for a handle of another group; DISPOSED for one that was disposed of
 */
export function admitHeld(
  admit: (item: unknown, isMoved: boolean) => PreparedItem,
  signature: ModelSignature,
  tensors: KeptTensors,
): AdmitHeld {
  return (given, isMoved, keeps) => {
    const { item, reads } = heldItem(given, signature, tensors);
    const row = admit(item, isMoved);
    return keeps === null && reads.length === 0 ? row : new KeptRow(row, reads, keeps);
  };
}

/** An item whose handles are replaced by their tensors. */
interface HeldItem {
  readonly item: unknown;
  readonly reads: readonly KeptRead[];
}

const NONE: readonly KeptRead[] = [];

function heldItem(given: unknown, signature: ModelSignature, tensors: KeptTensors): HeldItem {
  const item = isHandle(given) ? itemOf(given, signature) : given;
  if (typeof item !== "object" || item === null || Array.isArray(item) || ArrayBuffer.isView(item))
    return { item, reads: NONE };
  const held = handlesIn(item);
  if (held.length === 0) return { item, reads: NONE };
  const copy: Record<string, unknown> = { ...item };
  const reads = held.map(([input, value]) => {
    const tensor = tensorOf(value);
    if (tensor === null || !tensors.has(tensor)) throw foreign(input);
    setOwn(copy, input, tensor);
    return { input, tensor };
  });
  return { item: copy, reads };
}

/** An item that cannot be read has none. The next reader says why. */
function handlesIn(item: object): [input: string, value: unknown][] {
  try {
    return Object.entries(item).filter(([, value]) => isHandle(value));
  } catch {
    return [];
  }
}

function isHandle(value: unknown): value is DeviceHandle | KeptTensor {
  return value instanceof DeviceHandle || value instanceof KeptTensor;
}

function tensorOf(value: unknown): KeptTensor | null {
  if (value instanceof DeviceHandle) return value.tensor;
  return value instanceof KeptTensor ? value : null;
}

/** Returns the item that a bare tensor stands for, if the model has one batched input. */
function itemOf(handle: DeviceHandle | KeptTensor, { inputs }: ModelSignature): unknown {
  const batched = inputs.filter(({ batchAxis }) => batchAxis !== null);
  return batched.length === 1 ? { [batched[0]!.name]: handle } : handle;
}

function foreign(input: string): FramebatchError {
  return new FramebatchError(
    "INVALID_INPUT",
    `input "${input}": expected a tensor on the device of this model's group, got the handle of another group's; predict it with a model of this group`,
    { details: { input } },
  );
}

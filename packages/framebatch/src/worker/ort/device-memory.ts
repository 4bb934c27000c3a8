import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { isTyped, type TypedData } from "@framebatch/rows/collate/sent-rows.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { Tensor, TensorData, TensorType } from "@framebatch/rows/tensor/tensor.js";
import { deviceLost } from "./runtime-error.js";
import type { Runtime } from "./runtime-handover.js";
import { type DeviceRow, DeviceRows, isOnDevice, placeOf, type RowLayout } from "./device-rows.js";

/** Bytes of an element, for the types that ONNX Runtime takes from a buffer of the GPU. */
const ELEMENT_BYTES = { float32: 4, float16: 2, int32: 4, uint32: 4, int64: 8, bool: 1, uint8: 1 } as const;
type DeviceType = keyof typeof ELEMENT_BYTES;

/** Copies on the GPU move whole words. */
const WORD_BYTES = 4;
/** Names the buffers in tools for developers. */
const LABEL = "framebatch";
/** Shaders read up to four words at once. */
const BLOCK_BYTES = 16;

/** Bytes that stand together in a buffer, and those of another one to which they are copied. */
interface Range {
  readonly source: GPUBuffer;
  readonly start: number;
  readonly target: number;
  length: number;
}

/** Elements that stand together in a tensor, and where in another one they come. */
export interface ElementRange<T extends Tensor | DeviceRows> {
  readonly tensor: T;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Which row of which buffer. */
type RowPlace = Pick<DeviceRow, "rows" | "index">;

/** How a model leaves tensors on the GPU between its runs. */
export interface DeviceAccess {
  /** Returns the memory of the GPU; `null` if the model runs on none. */
  readonly memory: (() => Promise<DeviceMemory>) | null;
  /** Whether inputs and outputs may be where only the GPU can read them. */
  readonly mayStay: () => boolean;
}

/** The memory of the GPU device that ONNX Runtime uses. */
export class DeviceMemory {
  readonly #runtime: Runtime;
  readonly #device: GPUDevice;
  readonly #maxBytes: number;
  /** Size of the buffers that hold rows. */
  #bytes = 0;

  /** @param maxBytes size of the buffers from which on `hasRoom` is false, in bytes */
  constructor(runtime: Runtime, device: GPUDevice, maxBytes: number) {
    this.#runtime = runtime;
    this.#device = device;
    this.#maxBytes = maxBytes;
  }

  /** Whether what may be elsewhere may be here. */
  get hasRoom(): boolean {
    return this.#bytes < this.#maxBytes;
  }

  isOn(device: GPUDevice): boolean {
    return this.#device === device;
  }

  /**
   * Returns room for a tensor with one row for each entry of an axis; `null` if its rows cannot be ranges of a buffer:
   * the type is none of the GPU's, or what stands together of a row is not a whole number of words.
   */
  rows(type: TensorType, dims: readonly number[], axis = 0): DeviceRows | null {
    const layout = layoutOf(type, dims, axis);
    if (layout === null) return null;
    const size = Math.ceil((layout.count * layout.rowBytes) / BLOCK_BYTES) * BLOCK_BYTES;
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = this.#device.createBuffer({ label: LABEL, size, usage });
    this.#bytes += size;
    const tensor = this.#over(buffer, type, dims);
    return new DeviceRows(tensor, buffer, type, dims.toSpliced(axis, 1), layout, () => (this.#bytes -= size));
  }

  /**
   * Returns rows as one tensor with `count` entries along an axis; those that are left repeat the last row. If they are
   * the rows of a buffer that has them in this order, it is that buffer. Elements of this worker's memory are copied to
   * the GPU.
   * @param onCopy receives the copy, if there is one, to be destroyed after the run
   */
  gather(
    from: readonly (DeviceRow | Tensor)[],
    axis: number,
    count: number,
    onCopy: (copy: DeviceRows) => void,
  ): OrtTensor {
    const { type, dims } = from[0]!;
    const all = dims.toSpliced(axis, 0, count);
    const whole = wholeOf(from, layoutOf(type, all, axis)!);
    if (whole !== null) return this.#over(whole.buffer, type, all);
    const copy = this.rows(type, all, axis)!;
    onCopy(copy);
    this.#fill(
      copy,
      Array.from({ length: count }, (_, row) => from[Math.min(row, from.length - 1)]!),
    );
    return copy.tensor;
  }

  /** Copies ranges that are whole words to rows. Those of this worker's memory are copied to the GPU. */
  fill({ buffer, type }: DeviceRows, from: Iterable<ElementRange<Tensor | DeviceRows>>): void {
    if (!isDeviceType(type)) throw strangeType(type);
    const size = ELEMENT_BYTES[type];
    const ranges: Range[] = [];
    for (const { tensor, from: first, to, count } of from) {
      const [start, target, length] = [first * size, to * size, count * size];
      if ("buffer" in tensor) addRange(ranges, { source: tensor.buffer, start, target, length });
      else this.#write(tensor.data, start, length, buffer, target);
    }
    this.#copy(ranges, buffer);
  }

  #fill({ buffer, layout }: DeviceRows, from: readonly (DeviceRow | Tensor)[]): void {
    const ranges: Range[] = [];
    const step = Math.min(
      layout.pieceBytes,
      ...from.map((row) => (isOnDevice(row) ? row.rows.layout.pieceBytes : Infinity)),
    );
    for (let byte = 0; byte < layout.rowBytes; byte += step) {
      for (const [index, row] of from.entries()) {
        const target = placeOf(layout, index, byte);
        if (isOnDevice(row)) addRange(ranges, { ...rangeOf(row, byte), target, length: step });
        else this.#write(row.data, byte, step, buffer, target);
      }
    }
    this.#copy(ranges, buffer);
  }

  #write(data: TensorData, byte: number, length: number, buffer: GPUBuffer, target: number): void {
    const { buffer: bytes, byteOffset } = typed(data);
    this.#device.queue.writeBuffer(buffer, target, bytes, byteOffset + byte, length);
  }

  /** Resolves when the GPU has done all that it was asked for. */
  async done(): Promise<void> {
    await this.#device.queue.onSubmittedWorkDone();
  }

  /** Reads rows back. @throws DEVICE_LOST */
  async read(rows: readonly RowPlace[]): Promise<TensorData[]> {
    const size = rows.reduce((sum, { rows: { layout } }) => sum + layout.rowBytes, 0);
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.#device.createBuffer({ label: LABEL, size, usage });
    try {
      const starts = this.#collect(rows, staging);
      await staging.mapAsync(GPUMapMode.READ);
      const bytes = staging.getMappedRange();
      return rows.map(({ rows: { layout, type } }, index) =>
        elementOf(type).over(bytes.slice(starts[index], starts[index]! + layout.rowBytes)),
      );
    } catch (thrown) {
      // A device that works maps every buffer.
      throw deviceLost(String(thrown), thrown);
    } finally {
      staging.destroy();
    }
  }

  /** Copies rows to a buffer, one after the other. Returns where each starts. */
  #collect(rows: readonly RowPlace[], target: GPUBuffer): number[] {
    const ranges: Range[] = [];
    let end = 0;
    const starts = rows.map((row) => {
      const start = end;
      const { rowBytes, pieceBytes } = row.rows.layout;
      for (let byte = 0; byte < rowBytes; byte += pieceBytes)
        addRange(ranges, { ...rangeOf(row, byte), target: start + byte, length: pieceBytes });
      end += rowBytes;
      return start;
    });
    this.#copy(ranges, target);
    return starts;
  }

  #copy(ranges: readonly Range[], buffer: GPUBuffer): void {
    const encoder = this.#device.createCommandEncoder();
    for (const { source, start, target, length } of ranges)
      encoder.copyBufferToBuffer(source, start, buffer, target, length);
    this.#device.queue.submit([encoder.finish()]);
  }

  #over(buffer: GPUBuffer, type: TensorType, dims: readonly number[]): OrtTensor {
    if (!isDeviceType(type)) throw strangeType(type);
    return this.#runtime.Tensor.fromGpuBuffer(buffer, { dataType: type, dims });
  }
}

function strangeType(type: TensorType): RangeError {
  return new RangeError(`expected a type of the GPU, got ${type}`);
}

/** Whether the rows of a tensor can be copied as ranges. @param rowDims without the axis that counts the rows */
export function areRanges(type: TensorType, rowDims: readonly number[], axis: number): boolean {
  return layoutOf(type, rowDims.toSpliced(axis, 0, 1), axis) !== null;
}

function isDeviceType(type: TensorType): type is DeviceType {
  return type in ELEMENT_BYTES;
}

/** Returns how the rows of a tensor stand in its buffer; `null` if they cannot be copied as ranges. */
function layoutOf(type: TensorType, dims: readonly number[], axis: number): RowLayout | null {
  if (!isDeviceType(type)) return null;
  const pieceBytes = volumeOf(dims.slice(axis + 1)) * ELEMENT_BYTES[type];
  const rowBytes = volumeOf(dims.slice(0, axis)) * pieceBytes;
  return rowBytes === 0 || pieceBytes % WORD_BYTES !== 0 ? null : { count: dims[axis]!, rowBytes, pieceBytes };
}

/** Returns the rows whose buffer is the tensor that is asked for; `null` if there are none. */
function wholeOf(from: readonly (DeviceRow | Tensor)[], { count, rowBytes, pieceBytes }: RowLayout): DeviceRows | null {
  const first = from[0]!;
  if (!isOnDevice(first)) return null;
  const { layout } = first.rows;
  const isLong = pieceBytes === rowBytes ? layout.count >= count : layout.count === count;
  const isWhole = from.every((row, index) => isOnDevice(row) && row.rows === first.rows && row.index === index);
  return isLong && isWhole && layout.pieceBytes === pieceBytes ? first.rows : null;
}

function rangeOf({ rows: { buffer, layout }, index }: RowPlace, byte: number): Pick<Range, "source" | "start"> {
  return { source: buffer, start: placeOf(layout, index, byte) };
}

/** Adds a range, to the last one if it follows that in both buffers. */
function addRange(ranges: Range[], range: Range): void {
  const last = ranges.at(-1);
  const follows =
    last?.source === range.source &&
    last.start + last.length === range.start &&
    last.target + last.length === range.target;
  if (follows) last.length += range.length;
  else ranges.push(range);
}

function typed(data: TensorData): TypedData {
  if (isTyped(data)) return data;
  throw new RangeError("expected numbers, got strings");
}

/**
 * Reads those rows back that are on the GPU. Returns their elements by row.
 * @param memory the memory of the GPU; `null` if there is none, and so no row is there
 * @throws DEVICE_LOST
 */
export async function readBack(
  rows: readonly (object | null)[],
  memory: DeviceMemory | null,
): Promise<ReadonlyMap<object, TensorData>> {
  const onDevice = rows.filter((row) => row !== null && isOnDevice(row));
  const elements = onDevice.length === 0 || memory === null ? [] : await memory.read(onDevice);
  return new Map(elements.map((data, index) => [onDevice[index]!, data]));
}

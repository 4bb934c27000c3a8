import type { Tensor as OrtTensor } from "onnxruntime-web/wasm";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import type { TensorData, TensorType } from "@framebatch/rows/tensor/tensor.js";
import type { Runtime } from "../ort/runtime-handover.js";
import { type DeviceRow, DeviceRows } from "./device-rows.js";

/** Bytes of an element, for the types that ONNX Runtime takes from a buffer of the GPU. */
const ELEMENT_BYTES = { float32: 4, float16: 2, int32: 4, uint32: 4, int64: 8, bool: 1, uint8: 1 } as const;
type DeviceType = keyof typeof ELEMENT_BYTES;

/** Copies on the GPU move whole words. */
const WORD_BYTES = 4;
/** Names the buffers in tools for developers. */
const LABEL = "framebatch";
/** Shaders read up to four words at once. */
const BLOCK_BYTES = 16;

/** The memory of the GPU device that ONNX Runtime uses. */
export class DeviceMemory {
  readonly #runtime: Runtime;
  readonly #device: GPUDevice;

  constructor(runtime: Runtime, device: GPUDevice) {
    this.#runtime = runtime;
    this.#device = device;
  }

  /**
   * Returns room for a tensor with one row for each entry of its first axis; `null` if its rows cannot be ranges of a buffer:
   * the type is none of the GPU's, or a row is not a whole number of words.
   */
  rows(type: TensorType, dims: readonly number[]): DeviceRows | null {
    const rowBytes = isDeviceType(type) ? volumeOf(dims.slice(1)) * ELEMENT_BYTES[type] : 0;
    if (!isDeviceType(type) || rowBytes === 0 || rowBytes % WORD_BYTES !== 0) return null;
    const buffer = this.#device.createBuffer({
      label: LABEL,
      size: Math.ceil((dims[0]! * rowBytes) / BLOCK_BYTES) * BLOCK_BYTES,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    return new DeviceRows(this.#over(buffer, type, dims), buffer, type, rowBytes);
  }

  /**
   * Returns rows as one tensor, whose first axis has `count` entries; those that are left repeat the last row. If they are the
   * first rows of a buffer that is large enough, it is that buffer.
   * @param onCopy receives the copy, if there is one, to be destroyed after the run
   */
  gather(from: readonly DeviceRow[], count: number, onCopy: (copy: DeviceRows) => void): OrtTensor {
    const { rows, dims, type } = from[0]!;
    const all = [count, ...dims];
    if (from.every((row, index) => row.rows === rows && row.index === index) && rows.tensor.dims[0]! >= count)
      return this.#over(rows.buffer, type, all);
    const copy = this.rows(type, all)!;
    onCopy(copy);
    const encoder = this.#device.createCommandEncoder();
    for (const { rows: source, start, target, length } of rangesOf(from, count)) {
      const { rowBytes } = copy;
      encoder.copyBufferToBuffer(source.buffer, start * rowBytes, copy.buffer, target * rowBytes, length * rowBytes);
    }
    this.#device.queue.submit([encoder.finish()]);
    return copy.tensor;
  }

  /** Reads rows back. */
  async read(rows: readonly DeviceRow[]): Promise<TensorData[]> {
    const size = rows.reduce((sum, { rows: { rowBytes } }) => sum + rowBytes, 0);
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.#device.createBuffer({ label: LABEL, size, usage });
    try {
      const starts = this.#copy(rows, staging);
      await staging.mapAsync(GPUMapMode.READ);
      const bytes = staging.getMappedRange();
      return rows.map(({ rows: { rowBytes }, type }, index) =>
        elementOf(type).over(bytes.slice(starts[index], starts[index]! + rowBytes)),
      );
    } finally {
      staging.destroy();
    }
  }

  /** Copies rows to a buffer, one after the other. Returns where each starts. */
  #copy(rows: readonly DeviceRow[], target: GPUBuffer): number[] {
    const encoder = this.#device.createCommandEncoder();
    let end = 0;
    const starts = rows.map(({ rows: { buffer, rowBytes }, index }) => {
      const start = end;
      encoder.copyBufferToBuffer(buffer, index * rowBytes, target, start, rowBytes);
      end += rowBytes;
      return start;
    });
    this.#device.queue.submit([encoder.finish()]);
    return starts;
  }

  #over(buffer: GPUBuffer, type: TensorType, dims: readonly number[]): OrtTensor {
    if (!isDeviceType(type)) throw new RangeError(`expected a type of the GPU, got ${type}`);
    return this.#runtime.Tensor.fromGpuBuffer(buffer, { dataType: type, dims });
  }
}

function isDeviceType(type: TensorType): type is DeviceType {
  return type in ELEMENT_BYTES;
}

/** Rows that follow each other, in a buffer and in the batch. */
interface Range {
  readonly rows: DeviceRows;
  readonly start: number;
  readonly target: number;
  length: number;
}

/** Returns the ranges to copy. @param count number of rows of the batch, at least as many as `from` */
function rangesOf(from: readonly DeviceRow[], count: number): Range[] {
  const ranges: Range[] = [];
  for (let target = 0; target < count; target++) {
    const { rows, index } = from[Math.min(target, from.length - 1)]!;
    const last = ranges.at(-1);
    if (last?.rows === rows && last.start + last.length === index) last.length += 1;
    else ranges.push({ rows, start: index, target, length: 1 });
  }
  return ranges;
}

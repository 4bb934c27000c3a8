import { GpuBuffer } from "./gpu-buffer.js";

/** A tensor of the simulated ONNX Runtime. */
export class SimTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly #data: Float32Array | BigInt64Array | GpuBuffer;

  constructor(type: string, data: Float32Array | BigInt64Array | GpuBuffer, dims: readonly number[]) {
    const size = volumeOf(dims);
    if (!(data instanceof GpuBuffer) && data.length !== size)
      throw new TypeError(`Tensor's size(${size}) does not match data length(${data.length}).`);
    this.type = type;
    this.#data = data;
    this.dims = dims;
  }

  static fromGpuBuffer(buffer: GpuBuffer, { dims }: { readonly dims: readonly number[] }): SimTensor {
    return new SimTensor("float32", buffer, dims);
  }

  get location(): "cpu" | "gpu-buffer" {
    return this.#data instanceof GpuBuffer ? "gpu-buffer" : "cpu";
  }

  /** The elements of floats, wherever they are. The GPU reads those that are there. */
  get data(): Float32Array {
    const data = this.elements;
    if (data instanceof BigInt64Array) throw new TypeError("expected floats, got integers");
    return data;
  }

  /** The same of any type. */
  get elements(): Float32Array | BigInt64Array {
    const data = this.#data;
    if (!(data instanceof GpuBuffer)) return data;
    return new Float32Array(data.range(0, volumeOf(this.dims) * Float32Array.BYTES_PER_ELEMENT).slice().buffer);
  }

  /** Writes what the GPU has computed. */
  write(computed: Float32Array): void {
    const data = this.#data;
    if (!(data instanceof GpuBuffer)) throw new TypeError("expected a tensor on the GPU");
    data.range(0, computed.byteLength).set(new Uint8Array(computed.buffer));
  }
}

function volumeOf(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

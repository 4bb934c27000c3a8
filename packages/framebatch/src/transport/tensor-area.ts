import { setOwn } from "../core/tensor/record.js";
import { elementOf, type TensorElement } from "../core/tensor/element-types.js";
import type { Tensor, TensorType } from "../core/tensor/tensor.js";

type NamedTensors = Readonly<Record<string, Tensor>>;

const TYPES: readonly TensorType[] = [
  "float32",
  "float64",
  "float16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
];
const WORD_BYTES = 4;
/** Alignment of the data of each tensor, in bytes: the size of the largest element. */
const ALIGNMENT = 8;

/**
 * A part of shared memory that holds named tensors. It starts with a table of 32-bit words: the number of tensors, then
 * for each tensor the name index, type index, byte offset, byte length, rank and dims. The elements follow. Only one
 * thread at a time may use an area; the code that owns the area ensures this.
 */
export class TensorArea {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #elements = new Map<TensorType, TensorElement>();

  /**
   * @param offset start of the area in `memory`, in bytes; a multiple of 8
   * @param byteLength size of the area, in bytes; a multiple of 4
   */
  constructor(memory: SharedArrayBuffer, offset: number, byteLength: number) {
    this.#words = new Int32Array(memory, offset, byteLength / WORD_BYTES);
    this.#bytes = new Uint8Array(memory, offset, byteLength);
  }

  /**
   * Copies the tensors into the area. Returns false if they do not fit, contain strings, or have a name that is not in
   * `names`; the contents of the area are then undefined.
   */
  write(names: readonly string[], tensors: NamedTensors): boolean {
    const entries = Object.entries(tensors);
    let word = 1;
    // A table entry takes five words, plus one for each dimension.
    let offset = WORD_BYTES * entries.reduce((sum, [, { dims }]) => sum + 5 + dims.length, 1);
    if (offset > this.#bytes.length) return false;
    for (const [name, { type, dims, data }] of entries) {
      const [nameIndex, typeIndex] = [names.indexOf(name), TYPES.indexOf(type)];
      offset = Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
      if (!("buffer" in data) || nameIndex < 0 || typeIndex < 0) return false;
      if (offset + data.byteLength > this.#bytes.length) return false;
      this.#words.set([nameIndex, typeIndex, offset, data.byteLength, dims.length, ...dims], word);
      this.#bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
      word += 5 + dims.length;
      offset += data.byteLength;
    }
    this.#words[0] = entries.length;
    return true;
  }

  /** Copies the tensors out of the area. The caller owns their buffers. */
  read(names: readonly string[]): NamedTensors {
    const tensors: Record<string, Tensor> = {};
    let word = 1;
    for (let left = this.#words[0]!; left > 0; left--) {
      const [name = 0, typeIndex = 0, offset = 0, byteLength = 0, rank = 0] = this.#words.subarray(word, word + 5);
      const dims = [...this.#words.subarray(word + 5, word + 5 + rank)];
      const type = TYPES[typeIndex]!;
      const { buffer } = this.#bytes.slice(offset, offset + byteLength);
      setOwn(tensors, names[name]!, { type, dims, data: this.#elementOf(type).over(buffer) });
      word += 5 + rank;
    }
    return tensors;
  }

  #elementOf(type: TensorType): TensorElement {
    let element = this.#elements.get(type);
    if (element === undefined) this.#elements.set(type, (element = elementOf(type)));
    return element;
  }
}

import { outOfMemory } from "./runtime-error.js";

type ReadBuffer = (this: WebAssembly.Memory) => ArrayBuffer;
type CopyInto = (this: Uint8Array, source: ArrayLike<number>, offset?: number) => void;

/**
 * Has copies to address 0 of a WebAssembly heap throw OUT_OF_MEMORY. ONNX Runtime (1.30) copies each input to wherever `malloc`
 * says, without asking whether it had any memory to give; at 0 the copy overwrites the runtime's own data, and what runs after
 * it may give any numbers without an error. This changes what belongs to the engine, in a worker where nobody else lives.
 */
export function guardHeaps(): void {
  const heaps = new WeakSet<ArrayBufferLike>();
  const buffer: PropertyDescriptor = { ...Object.getOwnPropertyDescriptor(WebAssembly.Memory.prototype, "buffer") };
  const readBuffer: ReadBuffer = Reflect.get(buffer, "get") ?? unreadable;
  const copyInto: CopyInto = Reflect.get(Uint8Array.prototype, "set");

  function unreadable(): never {
    throw new TypeError("expected a WebAssembly.Memory with a buffer, got none; use another browser");
  }
  function readKnownBuffer(this: WebAssembly.Memory): ArrayBuffer {
    const heap = Reflect.apply(readBuffer, this, []);
    heaps.add(heap);
    return heap;
  }
  function copySafely(this: Uint8Array, source: ArrayLike<number>, offset?: number): void {
    if (offset === 0 && heaps.has(this.buffer))
      throw outOfMemory("run the batch; lower maxBatchSize", "malloc gave none");
    Reflect.apply(copyInto, this, [source, offset]);
  }
  Reflect.defineProperty(WebAssembly.Memory.prototype, "buffer", { ...buffer, get: readKnownBuffer });
  Reflect.defineProperty(Uint8Array.prototype, "set", { configurable: true, writable: true, value: copySafely });
}

import { outOfMemory } from "./runtime-error.js";

type ReadBuffer = (this: WebAssembly.Memory) => ArrayBuffer;
type CopyInto = (this: Uint8Array, source: ArrayLike<number>, offset?: number) => void;

/**
 * Makes copies to address 0 of a WebAssembly heap throw OUT_OF_MEMORY. ONNX Runtime (1.30) copies each input to the
 * address that `malloc` returns, without checking for failure. A copy to address 0 overwrites the runtime's own data,
 * and later runs may return wrong numbers without an error. This function patches built-in prototypes of the JavaScript
 * engine, which is acceptable because no other code runs in the worker; code that does not need the guard turns it off.
 *
 * @param isOn whether the WebAssembly of this worker is ONNX Runtime's. Asked at each such copy.
 * @returns a function that returns the size of all WebAssembly memory of this worker, in bytes
 */
export function guardHeaps(isOn: () => boolean = () => true): () => number {
  const memories = new Set<WebAssembly.Memory>();
  const heaps = new WeakSet<ArrayBufferLike>();
  const buffer: PropertyDescriptor = { ...Object.getOwnPropertyDescriptor(WebAssembly.Memory.prototype, "buffer") };
  const readBuffer: ReadBuffer = Reflect.get(buffer, "get") ?? unreadable;
  const copyInto: CopyInto = Reflect.get(Uint8Array.prototype, "set");

  function unreadable(): never {
    throw new TypeError("expected a WebAssembly.Memory with a buffer, got none; use another browser");
  }
  function readKnownBuffer(this: WebAssembly.Memory): ArrayBuffer {
    const heap = Reflect.apply(readBuffer, this, []);
    memories.add(this);
    heaps.add(heap);
    return heap;
  }
  function copySafely(this: Uint8Array, source: ArrayLike<number>, offset?: number): void {
    if (offset === 0 && heaps.has(this.buffer) && isOn())
      throw outOfMemory("run the batch; lower maxBatchSize", "malloc gave none");
    Reflect.apply(copyInto, this, [source, offset]);
  }
  Reflect.defineProperty(WebAssembly.Memory.prototype, "buffer", { ...buffer, get: readKnownBuffer });
  Reflect.defineProperty(Uint8Array.prototype, "set", { configurable: true, writable: true, value: copySafely });
  return () => [...memories].reduce((sum, memory) => sum + memory.buffer.byteLength, 0);
}

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

const PAGE_BYTES = 2 ** 16;
/** The most that 32-bit addresses reach. */
const MAX_PAGES = 2 ** 16;

/**
 * Limits the WebAssembly memory that is created in this worker from now on: the browser lets it grow no further, on any
 * thread, and ONNX Runtime then finds no memory. A memory always gets its initial size. This function replaces a
 * constructor of the JavaScript engine, which is acceptable because no other code runs in the worker.
 * @param maxBytes of all memory together
 * @param heapBytes returns the size of the memory that there is already
 */
export function limitHeaps(maxBytes: number, heapBytes: () => number): void {
  const limited = class extends WebAssembly.Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      const { initial, maximum = MAX_PAGES } = descriptor;
      const left = Math.floor((maxBytes - heapBytes()) / PAGE_BYTES);
      super({ ...descriptor, maximum: Math.max(initial, Math.min(maximum, left)) });
    }
  };
  Reflect.defineProperty(WebAssembly, "Memory", { configurable: true, writable: true, value: limited });
}

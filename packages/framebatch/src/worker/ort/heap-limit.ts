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

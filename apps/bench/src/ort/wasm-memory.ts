/**
 * Tracks the WebAssembly memories that are created in this thread from now on. Returns a function that returns their
 * total size in bytes, which never shrinks.
 */
export function watchWasmMemory(): () => number {
  const memories: WebAssembly.Memory[] = [];
  WebAssembly.Memory = class extends WebAssembly.Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(this);
    }
  };
  return () => memories.reduce((bytes, { buffer }) => bytes + buffer.byteLength, 0);
}

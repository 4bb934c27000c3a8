/** Counts the memories that WebAssembly code makes in this thread from now on; what comes back gives their bytes, which only grow. */
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

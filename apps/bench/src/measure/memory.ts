declare global {
  interface Performance {
    /** Of the page and its workers, shared WebAssembly memory included. Chromium, on cross-origin isolated pages. */
    measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>;
    /** Of the page alone, JavaScript only. Chromium. */
    readonly memory?: { readonly usedJSHeapSize: number };
  }
}

/** A browser that was not told to measure at once waits for the next garbage collection, which may take a minute. */
const PATIENCE_MS = 3000;

/** How much memory the page has, whatever of it the browser can tell. */
export class MemoryMeter {
  /** Whether workers, and the WebAssembly memory in them, are in it. */
  readonly hasWorkers: boolean;
  readonly #read: () => Promise<number | null>;
  #isLate = false;

  private constructor(hasWorkers: boolean, read: () => Promise<number | null>) {
    this.hasWorkers = hasWorkers;
    this.#read = read;
  }

  static async open(): Promise<MemoryMeter | null> {
    if (crossOriginIsolated && performance.measureUserAgentSpecificMemory !== undefined) {
      const meter = new MemoryMeter(true, readAll);
      if ((await meter.read()) !== null) return meter;
    }
    const { memory } = performance;
    return memory === undefined ? null : new MemoryMeter(false, () => Promise.resolve(memory.usedJSHeapSize));
  }

  /** In bytes; `null` where the browser does not say in time, or still owes an earlier answer. */
  async read(): Promise<number | null> {
    if (this.#isLate) return null;
    const answer = this.#read();
    void answer.finally(() => (this.#isLate = false));
    this.#isLate = true;
    return Promise.race([answer, late()]);
  }
}

async function readAll(): Promise<number | null> {
  const measured = await performance.measureUserAgentSpecificMemory?.();
  return measured?.bytes ?? null;
}

function late(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), PATIENCE_MS));
}

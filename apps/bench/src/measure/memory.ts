declare global {
  interface Performance {
    /**
     * Memory of the page and its workers, including shared WebAssembly memory. Chromium only, on cross-origin isolated
     * pages.
     */
    measureUserAgentSpecificMemory?(): Promise<{ readonly bytes: number }>;
    /** JavaScript memory of the page alone. Chromium only. */
    readonly memory?: { readonly usedJSHeapSize: number };
  }
}

/**
 * Timeout of a reading, in ms. Without the flag for immediate measurement, a browser waits for the next garbage
 * collection, which may take a minute.
 */
const PATIENCE_MS = 3000;

/** Measures the memory of the page, as far as the browser can report it. */
export class MemoryMeter {
  /** Whether the figures include workers and their WebAssembly memory. */
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

  /**
   * Returns the memory in bytes; `null` if the browser does not answer in time or has not answered an earlier reading.
   */
  async read(): Promise<number | null> {
    if (this.#isLate) return null;
    const answer = this.#read();
    void answer.finally(() => (this.#isLate = false));
    this.#isLate = true;
    return Promise.race([answer, late()]);
  }
}

async function readAll(): Promise<number | null> {
  try {
    const measured = await performance.measureUserAgentSpecificMemory?.();
    return measured?.bytes ?? null;
  } catch {
    // A headless shell has the function, and refuses to measure.
    return null;
  }
}

function late(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), PATIENCE_MS));
}

/** Time for the last reactions on an idle page, in milliseconds. */
const LAST_MS = 100;

/**
 * Measures how long a page takes to react: from an input to the end of the frame that shows the reaction. Messages of a
 * worker stand for inputs.
 */
export class Interactions {
  /** Resolves when inputs come. A page that is busy before would not even start the worker that sends them. */
  readonly hasBegun: Promise<void>;
  readonly #worker = new Worker(new URL("./ticker.worker.ts", import.meta.url), { type: "module" });
  readonly #reactionsMs: number[] = [];

  constructor() {
    this.hasBegun = new Promise((resolve) => {
      this.#worker.addEventListener("message", () => resolve(), { once: true });
    });
    this.#worker.addEventListener("message", ({ data }: MessageEvent<number>) => void this.#react(data));
  }

  /**
   * Ends the inputs, and waits for the reactions to those that the page was too busy for. Returns the times of all
   * reactions, in milliseconds.
   */
  async stop(): Promise<readonly number[]> {
    await new Promise((resolve) => setTimeout(resolve, LAST_MS));
    this.#worker.terminate();
    return this.#reactionsMs;
  }

  async #react(atMs: number): Promise<void> {
    await new Promise(requestAnimationFrame);
    // The task after the callbacks of a frame runs when the frame has been painted.
    await afterTask();
    this.#reactionsMs.push(performance.timeOrigin + performance.now() - atMs);
  }
}

function afterTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}

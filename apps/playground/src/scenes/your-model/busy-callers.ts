import type { Item, Outputs } from "framebatch";
import { FrameRecorder } from "../../measure/frame-recorder.js";
import type { Load } from "../../measure/load.js";

/**
 * Applies a load to a model until stopped. Each caller sends its next request after its previous one completes, at the
 * pace of the load. In a hidden tab, which has no frames, they wait until it is visible.
 */
export class BusyCallers {
  readonly #ask: (caller: number, item: Item) => Promise<Outputs>;
  readonly #load: Load;
  readonly #show: (outputs: Outputs) => void;
  readonly #fail: (error: unknown) => void;
  readonly #frames = new FrameRecorder();
  #isStopped = false;

  constructor(
    ask: (caller: number, item: Item) => Promise<Outputs>,
    load: Load,
    show: (outputs: Outputs) => void,
    fail: (error: unknown) => void,
  ) {
    this.#ask = ask;
    this.#load = load;
    this.#show = show;
    this.#fail = fail;
    for (let caller = 0; caller < load.callers; caller++) void this.#goOn(caller);
  }

  /** Stops the callers. They ignore the results of open requests. */
  stop(): void {
    this.#isStopped = true;
    this.#frames.stop();
  }

  async #goOn(caller: number): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      if (this.#load.pace === "frame" || document.hidden) await this.#frames.nextFrame();
      try {
        const outputs = await this.#ask(caller, this.#load.item(caller, turn));
        if (!this.#isStopped) this.#show(outputs);
      } catch (error) {
        if (!this.#isStopped) this.#fail(error);
        return;
      }
    }
  }
}

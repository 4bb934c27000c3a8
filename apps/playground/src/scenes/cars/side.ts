import { effect, signal } from "@preact/signals";
import { FramebatchError, type ExecutionProvider } from "framebatch";
import { recentFigures, type RecentFigures } from "./recent-figures.js";
import type { DriverModel, FromWorld, ToWorld, WorldFigures, WorldSettings } from "./world/protocol.js";

/** What a side takes from the scene, read again whenever it changes. */
export interface SideInputs {
  readonly settings: (width: number) => WorldSettings;
  /** `null` until models may load. */
  readonly drivers: () => DriverModel | null;
  readonly onFigures: (figures: WorldFigures) => void;
  readonly onFailure: (error: unknown) => void;
}

/** One of the two worlds: a worker that has a model of its own, drives the cars and draws them. */
export class Side {
  /** The latest figures; `null` before the first ones. */
  readonly figures = signal<RecentFigures | null>(null);
  readonly provider = signal<ExecutionProvider | null>(null);
  /** Width of the canvas in its own pixels. */
  readonly width = signal(0);
  readonly #inputs: SideInputs;
  #history: readonly WorldFigures[] = [];
  #stop = (): void => {};

  constructor(inputs: SideInputs) {
    this.#inputs = inputs;
  }

  /**
   * Starts the world on a canvas of `width` of its own pixels, which nothing else may draw on. Returns a function that
   * stops it.
   */
  open(canvas: HTMLCanvasElement): () => void {
    this.dispose();
    const worker = new Worker(new URL("./world/world-worker.ts", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorld>) => this.#take(data));
    const tell = (message: ToWorld, transfer: Transferable[] = []): void => worker.postMessage(message, transfer);
    const screen = canvas.transferControlToOffscreen();
    tell({ type: "open", canvas: screen, settings: this.#inputs.settings(this.width.peek()) }, [screen]);
    const stopChanging = effect(() => {
      this.#forget();
      tell({ type: "change", settings: this.#inputs.settings(this.width.value) });
    });
    const stopLoading = effect(() => {
      const model = this.#inputs.drivers();
      if (model !== null) tell({ type: "drivers", model });
    });
    this.#stop = () => {
      stopChanging();
      stopLoading();
      worker.terminate();
    };
    return this.#stop;
  }

  dispose(): void {
    this.#stop();
  }

  #forget(): void {
    this.#history = [];
  }

  #take(message: FromWorld): void {
    switch (message.type) {
      case "ready":
        this.#forget();
        this.provider.value = message.provider;
        break;
      case "figures":
        this.#history = [...this.#history, message.figures];
        this.figures.value = recentFigures(this.#history);
        this.#inputs.onFigures(message.figures);
        break;
      case "failed":
        this.#inputs.onFailure(toError(message));
        break;
    }
  }
}

function toError({ code, message }: Extract<FromWorld, { type: "failed" }>): Error {
  return code === null ? new Error(message) : new FramebatchError(code, message);
}

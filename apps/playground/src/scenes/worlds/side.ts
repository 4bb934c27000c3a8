import { effect, signal } from "@preact/signals";
import { FramebatchError, type ExecutionProvider } from "framebatch";
import type { FromWorld, ToWorld, WorldModel } from "./protocol.js";
import { withReport } from "./report-history.js";

/** What a side takes from the scene. Settings and model are read again whenever they change. */
export interface SideInputs<Settings, Figures, Recent> {
  readonly startWorker: () => Worker;
  readonly settings: (width: number) => Settings;
  /** `null` until models may load. */
  readonly model: () => WorldModel | null;
  /** What is shown of the latest reports of one load, of which there is at least one. */
  readonly recent: (history: readonly Figures[]) => Recent;
  readonly onFigures: (figures: Figures) => void;
  /** Called when the world has another model. */
  readonly onModel: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** One of the two worlds: a worker that has a model of its own, lives by its answers, and draws them. */
export class Side<Settings, Figures, Recent> {
  /** The latest figures; `null` before the first ones. */
  readonly figures = signal<Recent | null>(null);
  readonly provider = signal<ExecutionProvider | null>(null);
  /** Width of the canvas in its own pixels. */
  readonly width = signal(0);
  readonly #inputs: SideInputs<Settings, Figures, Recent>;
  #history: readonly Figures[] = [];
  #worker: Worker | null = null;
  #stop = (): void => {};

  constructor(inputs: SideInputs<Settings, Figures, Recent>) {
    this.#inputs = inputs;
  }

  /**
   * Starts the world on a canvas of `width` of its own pixels, which nothing else may draw on. Returns a function that
   * stops it.
   */
  open(canvas: HTMLCanvasElement): () => void {
    this.dispose();
    const worker = this.#inputs.startWorker();
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorld<Figures>>) => this.#take(data));
    worker.addEventListener("error", ({ message }) =>
      this.#inputs.onFailure(new Error(message ?? "The script of the worker did not load.")),
    );
    const screen = canvas.transferControlToOffscreen();
    this.#tell({ type: "open", canvas: screen, settings: this.#inputs.settings(this.width.peek()) }, [screen]);
    const stopChanging = effect(() => {
      this.#history = [];
      this.#tell({ type: "change", settings: this.#inputs.settings(this.width.value) });
    });
    const stopLoading = effect(() => {
      const model = this.#inputs.model();
      if (model !== null) this.#tell({ type: "model", model });
    });
    this.#stop = () => {
      stopChanging();
      stopLoading();
      worker.terminate();
      this.#worker = null;
    };
    return this.#stop;
  }

  /** Gives the world a source of what its callers ask about; `null` ends it. The port moves to the worker. */
  useSource(port: MessagePort | null): void {
    this.#tell({ type: "source", port }, port === null ? [] : [port]);
  }

  /** Clears the figures, since those of different loads must not mix. */
  forget(): void {
    this.#history = [];
    this.figures.value = null;
  }

  dispose(): void {
    this.#stop();
  }

  #tell(message: ToWorld<Settings>, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  #take(message: FromWorld<Figures>): void {
    switch (message.type) {
      case "ready":
        this.forget();
        this.provider.value = message.provider;
        this.#inputs.onModel();
        break;
      case "figures":
        this.#history = withReport(this.#history, message.figures);
        this.figures.value = this.#inputs.recent(this.#history);
        this.#inputs.onFigures(message.figures);
        break;
      case "failed":
        this.#inputs.onFailure(toError(message));
        break;
    }
  }
}

function toError({
  code,
  message,
}: {
  readonly code: FramebatchError["code"] | null;
  readonly message: string;
}): Error {
  return code === null ? new Error(message) : new FramebatchError(code, message);
}

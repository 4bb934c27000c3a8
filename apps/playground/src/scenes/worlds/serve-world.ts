import { createBatchedModel, FramebatchError, type BatchedModel } from "framebatch";
import type { FromWorld, ToWorld, WorldModel } from "./protocol.js";

/** What a worker shows on its canvas. */
export interface World<Settings> {
  change(settings: Settings): void;
  /** Takes a new model, and disposes of the old one. */
  useModel(model: BatchedModel): void;
  /** Takes a source of what the callers ask about. @default there is none */
  useSource?(port: MessagePort | null): void;
}

/** What a world tells the page. */
export interface WorldEvents<Figures> {
  readonly figures: (figures: Figures) => void;
  readonly failure: (error: unknown) => void;
}

/** Serves one world from a worker. Call it once, in the first turn of the worker. */
export function serveWorld<Settings, Figures>(
  open: (canvas: OffscreenCanvas, settings: Settings, on: WorldEvents<Figures>) => World<Settings>,
): void {
  const server = new WorldServer(open);
  addEventListener("message", ({ data }: MessageEvent<ToWorld<Settings>>) => server.take(data));
}

class WorldServer<Settings, Figures> {
  readonly #open: (canvas: OffscreenCanvas, settings: Settings, on: WorldEvents<Figures>) => World<Settings>;
  #world: World<Settings> | null = null;
  /** The model that was asked for last. */
  #wanted: WorldModel | null = null;

  constructor(open: (canvas: OffscreenCanvas, settings: Settings, on: WorldEvents<Figures>) => World<Settings>) {
    this.#open = open;
  }

  take(message: ToWorld<Settings>): void {
    switch (message.type) {
      case "open":
        this.#world = this.#open(message.canvas, message.settings, {
          figures: (figures) => this.#tell({ type: "figures", figures }),
          failure: (error) => this.#tellFailure(error),
        });
        break;
      case "change":
        this.#world?.change(message.settings);
        break;
      case "model":
        void this.#load(message.model);
        break;
      case "source":
        this.#world?.useSource?.(message.port);
        break;
    }
  }

  async #load(wanted: WorldModel): Promise<void> {
    this.#wanted = wanted;
    try {
      const model = await createBatchedModel(wanted.url, wanted.options);
      if (this.#wanted !== wanted) return await model.dispose();
      this.#world?.useModel(model);
      this.#tell({ type: "ready", provider: model.executionProvider });
    } catch (error) {
      if (this.#wanted === wanted) this.#tellFailure(error);
    }
  }

  #tellFailure(error: unknown): void {
    const code = error instanceof FramebatchError ? error.code : null;
    this.#tell({ type: "failed", code, message: error instanceof Error ? error.message : String(error) });
  }

  #tell(message: FromWorld<Figures>): void {
    postMessage(message);
  }
}

import type { ReadonlySignal } from "@preact/signals";
import type { BatchedModel, ModelOptions, ModelSource } from "framebatch";
import type { ComponentChildren, FunctionComponent } from "preact";
import type { Load } from "../measure/load.js";
import type { Playground } from "../playground.js";

/** The source and the options of a scene's model. */
export interface SceneModel {
  readonly source: ModelSource;
  /**
   * The options of the model itself, such as padding. The visitor's settings for backend and batching are added to
   * them.
   */
  readonly options: ModelOptions;
  /** Creates the model, if its worker has handlers. @default `createBatchedModel` with the source and the options */
  readonly open?: (options: LaneOptions) => Promise<BatchedModel>;
  /** The options of `open` that are code, one line each, for the snippet. @default none */
  readonly ownOptions?: readonly string[];
}

/** The options that the page adds to those of the model. */
export type LaneOptions = Pick<
  ModelOptions,
  "executionProviders" | "batching" | "maxBatchSize" | "onProgress" | "signal"
>;

/**
 * One scene of the page, from its opening to its disposal. The page shows the title and the lead, loads the model (a
 * second time for a comparison), shows errors, and renders the instruments and the comparison below the stage.
 */
export interface Scene {
  readonly title: string;
  /** A description of the scene, in one or two sentences. */
  readonly lead: ComponentChildren;
  /** The scene's name for its callers, for example "64 tiles". */
  readonly callers: { readonly one: string; readonly many: string };
  /** `null` until the visitor chooses a model. A new value stops the workers of the old model and loads the new one. */
  readonly model: ReadonlySignal<SceneModel | null>;
  /**
   * The interactive part of the scene. It calls `playground.model` through `playground.requests`, pauses while
   * `playground.comparing` is true, and contains `LiveFigures`, `BackendCard` and `CallerCount`.
   */
  readonly Stage: FunctionComponent;
  /** Creates the scene's load, with its current settings, for the comparison. */
  createLoad(): Load;
  /** Stops everything that the scene started. The page owns the models and disposes of them. */
  dispose(): void;
}

/** The type of the function that each scene module exports. */
export type OpenScene = (playground: Playground) => Scene;

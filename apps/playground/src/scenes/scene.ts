import type { ReadonlySignal } from "@preact/signals";
import type { BatchedModel, Item, ModelOptions, ModelSource } from "framebatch";
import type { FunctionComponent } from "preact";
import type { LaneOptions } from "../lane-options.js";
import type { Load } from "../measure/load.js";

/** The source and the options of a scene's model. */
export interface SceneModel {
  readonly source: ModelSource;
  /** The name that the page shows, usually that of the file. */
  readonly name: string;
  /** The URL for the snippet, as an application would write it. */
  readonly address: string;
  /**
   * The options of the model itself, such as padding. The visitor's settings for backend and batching are added to
   * them.
   */
  readonly options: ModelOptions;
  /** Creates the model, if its worker has handlers. @default `createBatchedModel` with the source and the options */
  readonly open?: (options: LaneOptions) => Promise<BatchedModel>;
  /** The options of `open` that are code, one line each, for the snippet. @default none */
  readonly ownOptions?: readonly string[];
  /** Declarations for the snippet that `ownOptions` refers to, one line each. @default none */
  readonly ownCode?: readonly string[];
}

/** Help for a file that does not load. */
export interface FileRemedy {
  /** What is wrong with the file; empty if that is unknown. */
  readonly note: string;
  /** Opens the dialog to choose another file. */
  readonly chooseOther: () => void;
}

/**
 * One scene of the page, from its opening to its disposal. The page loads the model (a
 * second time for a comparison), shows errors and the verdict above the stage, and the instruments and the evidence
 * below it.
 */
export interface Scene {
  /** The scene's name for its callers, for example "64 tiles". */
  readonly callers: { readonly one: string; readonly many: string };
  /** `null` until the visitor chooses a model. A new value stops the workers of the old model and loads the new one. */
  readonly model: ReadonlySignal<SceneModel | null>;
  /** The items of the load, if the visitor can change them: a new value makes earlier results outdated. */
  readonly items?: ReadonlySignal<readonly Item[]>;
  /** Why there is nothing to measure yet, in a sentence; `null` if there is. @default there always is */
  readonly obstacle?: ReadonlySignal<string | null>;
  /**
   * The interactive part of the scene. Unless it shows both ways, it calls `playground.model` through `playground.requests`, pauses while
   * `playground.comparing` is true, and contains `LiveFigures`, `BackendCard` and `CallerCount`.
   */
  readonly Stage: FunctionComponent;
  /**
   * True if the stage shows both ways at the same time, and loads the models for it. The page then loads its own only
   * to measure, and shows no activity of it. @default false
   */
  readonly showsBothWays?: boolean;
  /**
   * Takes files that are dropped on the page. Returns false if they are not for this scene: then, and without this
   * function, they open the scene for the visitor's own models.
   */
  readonly takeFiles?: (files: readonly File[]) => boolean;
  /** What helps if the visitor's file does not load; `null` if the model is not a file. */
  readonly fileRemedy?: ReadonlySignal<FileRemedy | null>;
  /** Creates the scene's load, with its current settings, for the comparison. */
  createLoad(): Load;
  /** Stops everything that the scene started. The page owns the models and disposes of them. */
  dispose(): void;
}

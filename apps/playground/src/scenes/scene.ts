import type { ReadonlySignal } from "@preact/signals";
import type { ModelOptions, ModelSource } from "framebatch";
import type { ComponentChildren, FunctionComponent } from "preact";
import type { Load } from "../measure/load.js";
import type { Playground } from "../playground.js";

/** A scene's model: where it comes from, and what framebatch must be told of it. */
export interface SceneModel {
  readonly source: ModelSource;
  /** What belongs to the model itself, such as padding; the visitor's backend and batching come on top. */
  readonly options: ModelOptions;
}

/**
 * One scene of the page, alive from the moment it is opened until it is disposed of. The page around it shows its title and
 * lead, loads its model (twice, once a comparison wants both lanes), shows what fails, and below its stage the instruments
 * and the comparison.
 */
export interface Scene {
  readonly title: string;
  /** What the visitor sees here, in one or two sentences. */
  readonly lead: ComponentChildren;
  /** What the scene calls those who ask the model, as in "64 tiles". */
  readonly callers: { readonly one: string; readonly many: string };
  /** `null` until the visitor has chosen one. A new value ends the old one's workers and loads the new one. */
  readonly model: ReadonlySignal<SceneModel | null>;
  /**
   * What the visitor works with. It asks `playground.model` through `playground.requests`, rests while
   * `playground.comparing`, and finds a place for `LiveFigures`, `BackendCard` and `CallerCount`.
   */
  readonly Stage: FunctionComponent;
  /** The scene's own load, as it is set now, for the comparison. */
  createLoad(): Load;
  /** Ends whatever the scene itself has started; its models are not its own. */
  dispose(): void;
}

/** Every scene's module exports one function of this type. */
export type OpenScene = (playground: Playground) => Scene;

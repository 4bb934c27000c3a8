import type { Item } from "framebatch";
import type { Playground } from "../playground.js";
import type { Scene, SceneModel } from "../scenes/scene.js";

/** Everything that the visitor can change and that a result depends on. */
export interface Setup {
  readonly model: SceneModel | null;
  /** The items, if the visitor can change them. */
  readonly items: readonly Item[] | null;
  /** The other settings, as one comparable text. */
  readonly settings: string;
}

/** The current setup. Subscribes to everything that it consists of. */
export function currentSetup({ settings }: Playground, scene: Scene): Setup {
  const { callers, pace, pressureMs, modelOptions } = settings;
  return {
    model: scene.model.value,
    items: scene.items?.value ?? null,
    settings: JSON.stringify([callers.value, pace.value, pressureMs.value, modelOptions.value]),
  };
}

export function isSameSetup(a: Setup, b: Setup): boolean {
  return a.model === b.model && a.items === b.items && a.settings === b.settings;
}

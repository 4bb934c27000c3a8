import type { OpenScene } from "./scene.js";

interface SceneEntry {
  readonly label: string;
  /** Fetches the scene's own code, so that nobody waits for the scenes that they do not visit. */
  readonly load: () => Promise<OpenScene>;
}

/** The scenes by their name in the page's address, in the order of the tabs. */
export const SCENES = {
  digits: {
    label: "Digits",
    load: async () => (await import("./digits/digits-scene.js")).openDigits,
  },
  languages: {
    label: "Languages",
    load: async () => (await import("./languages/languages-scene.js")).openLanguages,
  },
  model: {
    label: "Your model",
    load: async () => (await import("./your-model/your-model-scene.js")).openYourModel,
  },
} as const satisfies Readonly<Record<string, SceneEntry>>;

export type SceneName = keyof typeof SCENES;

/** Object.keys knows no more than that keys are strings. */
export const SCENE_NAMES: readonly SceneName[] = ["digits", "languages", "model"];

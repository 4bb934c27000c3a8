import type { OpenScene } from "./scene.js";

interface SceneEntry {
  readonly label: string;
  /** Loads the code of the scene, so that a visit loads only the scenes that it opens. */
  readonly load: () => Promise<OpenScene>;
}

/** The scenes by their name in the URL, in the order of the tabs. */
export const SCENES = {
  digits: {
    label: "Digits",
    load: async () => (await import("./digits/digits-scene.js")).openDigits,
  },
  languages: {
    label: "Languages",
    load: async () => (await import("./languages/languages-scene.js")).openLanguages,
  },
  page: {
    label: "Read a page",
    load: async () => (await import("./read-page/read-page-scene.js")).openReadPage,
  },
  model: {
    label: "Your model",
    load: async () => (await import("./your-model/your-model-scene.js")).openYourModel,
  },
} as const satisfies Readonly<Record<string, SceneEntry>>;

export type SceneName = keyof typeof SCENES;

/** A separate list, since `Object.keys` returns `string[]`. */
export const SCENE_NAMES: readonly SceneName[] = ["digits", "languages", "page", "model"];

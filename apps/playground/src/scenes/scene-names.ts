/** The scenes by their name in the URL, in the order of the tabs; the first one opens by itself. */
export const SCENE_NAMES = ["cars", "digits", "languages", "streams", "translate", "page", "model"] as const;

export type SceneName = (typeof SCENE_NAMES)[number];

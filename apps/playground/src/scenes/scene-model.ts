import type { ModelOptions } from "framebatch";
import type { Settings } from "../settings.js";
import type { SceneModel } from "./scene.js";

/** A model that is loaded from a URL. */
export interface ModelAtUrl extends SceneModel {
  readonly source: string;
}

/** The model of a scene, or the one that the visitor has given in the page's URL. */
export function sceneModel(settings: Settings, builtUrl: string, name: string, options: ModelOptions): ModelAtUrl {
  const given = settings.model.peek();
  return given === null
    ? { source: builtUrl, name, address: `/models/${name}`, options }
    : { source: given, name: nameIn(given), address: given, options };
}

/** The last part of a URL's path, without the query. */
export function nameIn(address: string): string {
  return /([^/?#]+)(?:[?#].*)?$/.exec(address)?.[1] ?? address;
}

/** True if the name of a file is that of a model. */
export function isModelFile({ name }: File): boolean {
  return /\.(onnx|ort)$/i.test(name);
}

import { ARRAYS } from "./model-interface.js";

/**
 * Returns the name of the interface for the model in a file: "text-encoder.onnx" gives `TextEncoder`.
 * @param file a file name, without folders
 */
export function interfaceName(file: string): string {
  const words = file.replace(/\.onnx$/i, "").split(/[^\p{ID_Continue}]+|_+/u);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return isInterfaceName(name) ? name : `Model${name}`;
}

/**
 * Whether an interface can have this name. The words of the language and its types begin with a small letter. Within the
 * file, an interface named after an array would be the type of the members that are arrays.
 */
export function isInterfaceName(name: string): boolean {
  return /^\p{Lu}\p{ID_Continue}*$/u.test(name) && !Object.values(ARRAYS).includes(name);
}

import type { PreparedItem } from "./prepared-item.js";
import type { TensorData } from "../tensor/tensor.js";

/**
 * Returns a string that is equal for two rows of one model exactly if all their elements are equal bit by bit (-0
 * differs from 0). The string starts with the sizes, which determine the length of each input, so different rows never
 * produce the same key.
 */
export function contentKey(row: PreparedItem): string {
  let key = `${row.sizes.join(",")}|`;
  for (const data of row.data) key += data === null ? "-" : `+${elementsKey(data)}`;
  return key;
}

/**
 * Returns the key of one tensor's elements. Requires that the data starts at an even byte, as all data that framebatch
 * creates does.
 */
export function elementsKey(data: TensorData): string {
  if (!ArrayBuffer.isView(data)) return JSON.stringify(data);
  const evenBytes = data.byteLength - (data.byteLength % 2);
  const units = new Uint16Array(data.buffer, data.byteOffset, evenBytes / 2);
  let key = "";
  for (let start = 0; start < units.length; start += CHUNK) {
    // Spread syntax would iterate over the elements, which is ten times slower.
    const characters: string = Reflect.apply(String.fromCharCode, undefined, units.subarray(start, start + CHUNK));
    key += characters;
  }
  if (evenBytes === data.byteLength) return key;
  return key + String.fromCharCode(new Uint8Array(data.buffer, data.byteOffset)[evenBytes] ?? 0);
}

/** Number of arguments per call. Engines limit this number to far more. */
const CHUNK = 4096;

import type { Row } from "./prepared-item.js";
import type { TensorData } from "../tensor/tensor.js";

/**
 * A string that is equal for two rows of one model exactly where all their elements are equal bit by bit: -0 is not 0.
 * The sizes lead and settle each input's length, so that no two rows run together into one key.
 */
export function contentKey(row: Row): string {
  let key = `${row.sizes.join(",")}|`;
  for (const data of row.data) key += data === null ? "-" : `+${elementsKey(data)}`;
  return key;
}

/** The same for the elements of one tensor. It starts at an even byte, as all that framebatch makes does. */
export function elementsKey(data: TensorData): string {
  if (!ArrayBuffer.isView(data)) return JSON.stringify(data);
  const evenBytes = data.byteLength - (data.byteLength % 2);
  const units = new Uint16Array(data.buffer, data.byteOffset, evenBytes / 2);
  let key = "";
  for (let start = 0; start < units.length; start += CHUNK) {
    // Spreading would walk the elements with an iterator, at ten times the cost.
    const characters: string = Reflect.apply(String.fromCharCode, undefined, units.subarray(start, start + CHUNK));
    key += characters;
  }
  if (evenBytes === data.byteLength) return key;
  return key + String.fromCharCode(new Uint8Array(data.buffer, data.byteOffset)[evenBytes] ?? 0);
}

/** Engines limit how many arguments a call takes; this is far below. */
const CHUNK = 4096;

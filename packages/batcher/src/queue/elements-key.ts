/**
 * Returns the key of the elements of an array. Requires that the data starts at an even byte, as all data that framebatch
 * creates does.
 */
export function elementsKey(data: ArrayBufferView | readonly string[]): string {
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

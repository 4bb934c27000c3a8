/** Moves a buffer's memory to a new one, at no cost that grows with it, and leaves the old one detached. */
export function moveBuffer(buffer: ArrayBuffer): ArrayBuffer {
  return structuredClone(buffer, { transfer: [buffer] });
}

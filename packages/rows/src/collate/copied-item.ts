import type { PreparedItem } from "./prepared-item.js";

/** Returns a deep copy of an item, whose memory no batch uses. */
export function copyItem({ shape, sizes, data }: PreparedItem): PreparedItem {
  return { shape, sizes, data: data.map((elements) => (elements === null ? null : elements.slice())) };
}

/** Returns a copy of an answer, and changes it as its owner may: another caller must not see that. */
export function ownAnswer(value: unknown): unknown {
  if (Array.isArray(value) && value.some((one) => typeof one === "object")) return value.map(ownAnswer);
  const y: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "y") : null;
  const data: unknown = typeof y === "object" && y !== null ? Reflect.get(y, "data") : null;
  if (!(data instanceof Float32Array)) return value;
  const copy = data.slice();
  data.fill(NaN);
  return { y: { data: copy } };
}

/** Kinds of sources that are read item by item, and may do anything. */
export const SOURCE_KINDS = [
  "generator",
  "slow",
  "throws",
  "nothing-next",
  "throwing-value",
  "throwing-return",
  "hanging-return",
  "leaving",
  "not-iterable",
] as const;

/** How a caller gives items: as a list, or as such a source. */
export type SourceKind = "list" | (typeof SOURCE_KINDS)[number];

/** Kinds that end in an error. */
const FAILING: readonly SourceKind[] = ["throws", "nothing-next", "throwing-value", "not-iterable"];

export function isFailingSource(kind: SourceKind | undefined): boolean {
  return kind !== undefined && FAILING.includes(kind);
}

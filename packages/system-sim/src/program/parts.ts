import type { SequenceSpec } from "./kinds.js";
import type { Subject } from "./scenario.js";

/** A part of a subject: a model of a group, or a sequence. */
export interface Part {
  /** The part that is its model; `null` if that is the subject. */
  readonly model: number | null;
  /** Its options if it is a sequence; `null` for a model. */
  readonly sequence: SequenceSpec | null;
}

/** Returns the parts of a subject, in their order. */
export function partsOf(subject: Subject): readonly Part[] {
  if (subject.kind === "sequences") return subject.sequences.map((sequence) => ({ model: null, sequence }));
  if (subject.kind !== "group") return [];
  const parts: Part[] = [];
  for (const { sequences } of subject.models) {
    const model = parts.length;
    parts.push({ model, sequence: null }, ...sequences.map((sequence) => ({ model, sequence })));
  }
  return parts;
}

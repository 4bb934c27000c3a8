import type { SequenceSpec } from "./kinds.js";
import { isDecoder } from "../runtime/models.js";
import type { Subject } from "./scenario.js";

/** A part of a subject: a model of a group, or a sequence. */
export interface Part {
  /** The part that is its model; `null` if that is the subject. */
  readonly model: number | null;
  /** Its options if it is a sequence; `null` for a model. */
  readonly sequence: SequenceSpec | null;
  /** Whether it generates texts. */
  readonly isDecoder: boolean;
  /** Whether it runs as a copy with a free number of rows, if a comparison with its own session allows that. */
  readonly isRewritten: boolean;
}

/** Returns the parts of a subject, in their order. */
export function partsOf(subject: Subject): readonly Part[] {
  if (subject.kind === "sequences") return subject.sequences.map((sequence) => partOf(null, sequence));
  if (subject.kind !== "group") return [];
  const parts: Part[] = [];
  for (const { model: name, sequences } of subject.models) {
    const model = parts.length;
    const isRewritten = name === "single" || name === "misread";
    parts.push(
      { ...partOf(model, null), isRewritten, isDecoder: isDecoder(name) },
      ...sequences.map((sequence) => partOf(model, sequence)),
    );
  }
  return parts;
}

function partOf(model: number | null, sequence: SequenceSpec | null): Part {
  return { model, sequence, isDecoder: false, isRewritten: false };
}

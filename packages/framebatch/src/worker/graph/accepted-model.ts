import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { TensorMetadata } from "@framebatch/rows/model/signature.js";
import {
  isOnlyPlain,
  NEWER_OPERATORS,
  NEWEST_IR,
  NEWEST_KNOWN_IR,
  NEWEST_KNOWN_OPSETS,
  NEWEST_OPSETS,
} from "./runtime-contents.js";
import { type DeclaredVersion, type ModelDeclaration, readDeclaration } from "./model-declaration.js";

/** What the bytes of a model show before ONNX Runtime has them. */
export interface AcceptedModel {
  /** The versions under which ONNX Runtime reads the model, where the file has newer ones; a text for people, or `null`. */
  readonly lowered: string | null;
  /** An operator that only the build without a GPU has; `null` if there is none. */
  readonly plainOperator: string | null;
  /** Operators of the graph that compute its outputs, by the name of the output. */
  readonly outputOperators: ReadonlyMap<string, string>;
  /** Paths of the files with weights to which the model refers. */
  readonly externalPaths: readonly string[];
}

/** Adds to an output what the file tells of it. @param operators see `AcceptedModel` */
export function describeOutput(output: TensorMetadata, operators: AcceptedModel["outputOperators"]): TensorMetadata {
  return { ...output, operator: operators.get(output.name) ?? "" };
}

/** What is known of bytes that are not an ONNX model. */
const UNREADABLE: AcceptedModel = { lowered: null, plainOperator: null, outputOperators: new Map(), externalPaths: [] };

/**
 * Reads what a model declares. Writes older versions into the bytes where the newer ones change nothing for this model, since
 * ONNX Runtime refuses a file for its number alone.
 *
 * @param model owned by the caller, and possibly changed
 * @throws MODEL_INVALID for versions that are too new
 */
export function acceptModel(model: Uint8Array): AcceptedModel {
  const declared = readDeclaration(model);
  if (declared === null) return UNREADABLE;
  const lowered = [...lowerIr(declared), ...lowerOpsets(declared)];
  return {
    lowered: lowered.length === 0 ? null : `read as ${[...new Set(lowered)].join(" and ")}`,
    plainOperator: [...declared.operators].find(isOnlyPlain) ?? null,
    outputOperators: declared.outputOperators,
    externalPaths: [...declared.externalPaths],
  };
}

function lowerIr({ irVersion }: ModelDeclaration): string[] {
  if (irVersion === null || irVersion.number <= NEWEST_IR) return [];
  if (irVersion.number > NEWEST_KNOWN_IR) {
    const fix = `model = onnx.load(FILE); model.ir_version = ${NEWEST_IR}; onnx.save(model, FILE)`;
    throw tooNew(`IR version ${NEWEST_IR} or less`, `${irVersion.number}`, fix);
  }
  write(irVersion, NEWEST_IR);
  return [`IR version ${NEWEST_IR}`];
}

function lowerOpsets({ opsets, operators }: ModelDeclaration): string[] {
  return opsets.flatMap((opset) => {
    const newest = NEWEST_OPSETS[opset.domain] ?? Infinity;
    if (opset.number <= newest) return [];
    const name = opset.domain === "" ? "opset" : `opset of ${opset.domain}`;
    if (opset.number > (NEWEST_KNOWN_OPSETS[opset.domain] ?? 0)) {
      throw tooNew(`${name} ${newest} or less`, `${opset.number}`, conversionTo(newest));
    }
    const newer = Object.entries(NEWER_OPERATORS).find(([operator]) => operators.has(operator));
    if (newer !== undefined) {
      const [operator, since] = newer;
      throw tooNew(`operators of ${name} ${newest} or less`, `${operator} of opset ${since}`, conversionTo(newest));
    }
    write(opset, newest);
    return [`${name} ${newest}`];
  });
}

/** A version below 128 is in the first seven bits of its bytes. The eighth says whether others follow, which are then empty. */
function write({ bytes }: DeclaredVersion, version: number): void {
  bytes[0] = (bytes[0]! & 0x80) | version;
}

function conversionTo(opset: number): string {
  return `onnx.save(onnx.version_converter.convert_version(onnx.load(FILE), ${opset}), FILE), or export it with that opset (torch: opset_version=${opset}; skl2onnx: target_opset)`;
}

function tooNew(expected: string, got: string, fix: string): FramebatchError {
  return new FramebatchError(
    "MODEL_INVALID",
    `expected a model of ${expected}, got ${got}; save it again in Python: ${fix}`,
  );
}

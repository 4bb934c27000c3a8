/**
 * What the packaged ONNX Runtime takes, and what its builds lack. A test fails when another version is packaged. The
 * operators were found by creating a session of each operator of ONNX 1.23.2 and of `com.microsoft`, in each of its
 * versions, in each build.
 */
export const CONTENTS_OF = "1.30.0";

/** The newest IR version that it takes. */
export const NEWEST_IR = 13;
/** The newest IR version that is known to differ from that in nothing but types that no build has (ONNX 1.23.2, `onnx.proto`). */
export const NEWEST_KNOWN_IR = 14;

/** The newest opset that it takes, by domain. Of other domains it takes each version that it knows. */
export const NEWEST_OPSETS: Readonly<Record<string, number>> = { "": 26, "ai.onnx.ml": 5 };
/** The newest opsets whose changes are known: ONNX 1.23.2. */
export const NEWEST_KNOWN_OPSETS: Readonly<Record<string, number>> = { "": 28, "ai.onnx.ml": 5 };

/**
 * Operators of the opsets 27 and 28 that are new or may compute something else than under 26. The others that these opsets
 * change (Cast, Celu, Compress, DepthToSpace, DequantizeLinear, Einsum, OneHot, Optional, OptionalGetElement,
 * OptionalHasElement, QuantizeLinear, Range, ReduceLogSum, ReduceLogSumExp, ReverseSequence, SpaceToDepth, Unique) take more
 * types or another attribute than under 26, where ONNX Runtime refuses those, or fewer types (`onnx.defs` of ONNX 1.23.2).
 */
export const NEWER_OPERATORS: Readonly<Record<string, number>> = {
  LinearAttention: 27,
  CausalConvWithState: 27,
  SwiGLU: 28,
  Mod: 28,
  BitShift: 28,
};

const PLAIN_DOMAIN = "ai.onnx.ml.";
const PLAIN_OPERATORS: ReadonlySet<string> = new Set([
  "OptionalGetElement",
  "OptionalHasElement",
  "RegexFullMatch",
  "StringConcat",
  "StringNormalizer",
  "StringSplit",
  "TfIdfVectorizer",
  "com.microsoft.Tokenizer",
]);

/**
 * Whether only the build without a GPU has the operator. The others also lack some types of operators that they have, such
 * as the addition of float64, and some operators that ONNX Runtime mostly removes: the session then shows it.
 */
export function isOnlyPlain(operator: string): boolean {
  return operator.startsWith(PLAIN_DOMAIN) || PLAIN_OPERATORS.has(operator);
}

/** Why a string cannot be an element of a tensor: parts of an error message. */
export interface TextFault {
  readonly expected: string;
  readonly got: string;
  readonly fix: string;
}

/** A surrogate that is not one of a pair: with the flag `u`, a pair is one character of another kind. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns why a string would reach a model changed; `null` if it would not, or is none. ONNX Runtime's WebAssembly
 * takes strings in UTF-8, which has no half of a surrogate pair, and miscounts the bytes of the whole string if there
 * is one. It ends each string at its first U+0000, as C does.
 */
export function textFault(text: unknown): TextFault | null {
  if (typeof text !== "string") return null;
  const zero = text.indexOf("\0");
  if (zero >= 0) {
    const expected = "strings without U+0000, where ONNX Runtime would end them";
    return { expected, got: `one at character ${zero}`, fix: "remove it" };
  }
  const half = text.search(LONE_SURROGATE);
  if (half < 0) return null;
  const code = text.charCodeAt(half).toString(16).toUpperCase();
  const fix =
    'cut strings between characters, as Array.from(text).slice(0, n).join("") does, or pass text.toWellFormed()';
  return { expected: "whole characters", got: `half of one (U+${code}) at character ${half}`, fix };
}

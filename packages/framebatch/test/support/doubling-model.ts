/** An ONNX model of 87 bytes that doubles each number: `x` float32 [batch, len] to `y` float32 [batch, len]. */
export function doublingModel(): ArrayBuffer {
  return Uint8Array.from(atob(ENCODED), (letter) => letter.charCodeAt(0)).buffer;
}

/** The doubling model with a product instead of the sum: squares each number. */
export function squaringModel(): ArrayBuffer {
  const bytes = new Uint8Array(doublingModel());
  const at = String.fromCharCode(...bytes).indexOf("Add");
  bytes.set(new TextEncoder().encode("Mul"), at);
  return bytes.buffer;
}

const ENCODED =
  "CAg6TQoOCgF4CgF4EgF5IgNBZGQSAWdaGwoBeBIWChQIARIQCgcSBWJhdGNoCgUSA2xlbmIbCgF5EhYKFAgBEhAKBxIFYmF0Y2gKBRIDbGVuQgQKABAN";

/** The versions that a file names: of the format, and of ONNX's operators. */
export interface Versions {
  readonly ir: number;
  readonly opset: number;
}

/** Each returns a whole ONNX file, which the caller owns. */
export function exportedClassifier(): Uint8Array<ArrayBuffer>;
export function exportedZipMap(): Uint8Array<ArrayBuffer>;
export function exportedAt(versions: Versions): Uint8Array<ArrayBuffer>;
export function exportedMod(versions: Versions): Uint8Array<ArrayBuffer>;
export function exportedQuotient(isPicky?: boolean): Uint8Array<ArrayBuffer>;
export function exportedBfloat(): Uint8Array<ArrayBuffer>;

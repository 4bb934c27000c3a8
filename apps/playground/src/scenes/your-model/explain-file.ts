/** How much of a file is looked at, in bytes. */
const HEAD_BYTES = 512;

/** The first bytes of files that are mistaken for models. */
const SIGNATURES: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["a ZIP archive or a PyTorch checkpoint. Export the model to ONNX", [0x50, 0x4b, 0x03, 0x04]],
  ["a compressed archive. Unpack it", [0x1f, 0x8b]],
  ["a PNG picture", [0x89, 0x50, 0x4e, 0x47]],
  ["a JPEG picture", [0xff, 0xd8, 0xff]],
  ["a PDF document", [0x25, 0x50, 0x44, 0x46]],
  ["an HDF5 (Keras) model. Convert it to ONNX", [0x89, 0x48, 0x44, 0x46]],
];

/** Tells what a file is that does not load as a model. Empty if it could be one. */
export async function explainFile(file: Blob): Promise<string> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  if (head.length === 0) return "The file is empty.";
  const [name] = SIGNATURES.find(([, bytes]) => bytes.every((byte, index) => head[index] === byte)) ?? [];
  if (name !== undefined) return `The file is ${name}.`;
  const text = textOf(head);
  if (text !== null) return explainText(text);
  // The first field of an ONNX file is the version of its format, a small number.
  return head[0] === 8 && (head[1] ?? 0) < 32
    ? "The file begins like an ONNX model, so it is probably incomplete or damaged."
    : "";
}

function explainText(text: string): string {
  if (text.startsWith("version https://git-lfs")) {
    return "The file is a Git LFS pointer, not the model. Download the file that it points to.";
  }
  return /^\s*</.test(text) ? "The file is a web page." : "The file is text.";
}

/** The bytes as text; `null` if they are not text. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32))) return null;
  return new TextDecoder().decode(bytes);
}

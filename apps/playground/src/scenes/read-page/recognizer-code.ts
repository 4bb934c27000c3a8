/** Options of the model that reads lines, as the source code of an application, one a line. */
export const RECOGNIZER_OPTIONS = ["worker: startRecognizer", "shapeOf: shapeOfLine"];

/** What these options refer to. */
export const RECOGNIZER_CODE = [
  "// The worker reads letters out of the model's outputs: apps/ocr/src/reader/recognizer.worker.ts in the repository.",
  'const startRecognizer = () => new Worker(new URL("./recognizer.worker.ts", import.meta.url), { type: "module" });',
  "const shapeOfLine = ({ pixels }) => ({ group: String(pixels.dims[1]), extents: [pixels.dims[1]] });",
];

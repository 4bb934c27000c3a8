/** Writes voices.onnx from the parameters of train.py: node voices/write.mjs FILE. See README.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { detectorModel } from "./detector.mjs";

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("expected the file that train.py wrote");
const { buffer, byteOffset, byteLength } = readFileSync(file);
const parameters = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
const { bytes } = detectorModel("voices", parameters);
writeFileSync(new URL("voices.onnx", import.meta.url), bytes);
console.log(`${bytes.length} bytes`);

import { mkdir, writeFile } from "node:fs/promises";
import { bertFiles } from "./bert.mjs";
import { generateModels } from "./generate.mjs";

const folder = new URL("../dist/", import.meta.url);
await mkdir(folder, { recursive: true });
const models = generateModels();
await Promise.all(models.map(({ name, bytes }) => writeFile(new URL(`${name}.onnx`, folder), bytes)));

const bert = new URL("bert-tiny/", folder);
await mkdir(new URL("onnx/", bert), { recursive: true });
for (const [path, content] of Object.entries(bertFiles())) await writeFile(new URL(path, bert), content);
console.log(`wrote ${models.length} models and bert-tiny to models/dist`);

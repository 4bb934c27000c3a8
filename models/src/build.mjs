import { mkdir, writeFile } from "node:fs/promises";
import { generateModels } from "./generate.mjs";

const folder = new URL("../dist/", import.meta.url);
await mkdir(folder, { recursive: true });
const models = generateModels();
await Promise.all(models.map(({ name, bytes }) => writeFile(new URL(`${name}.onnx`, folder), bytes)));
console.log(`wrote ${models.length} models to models/dist`);

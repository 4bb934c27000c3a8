import { mkdir, writeFile } from "node:fs/promises";
import { bertFiles } from "./bert.mjs";
import { colourFiles, loudnessFiles } from "./classifiers.mjs";
import { generateModels } from "./generate.mjs";

const folder = new URL("../dist/", import.meta.url);
await mkdir(folder, { recursive: true });
const models = generateModels();
await Promise.all(models.map(({ name, bytes }) => writeFile(new URL(`${name}.onnx`, folder), bytes)));

const repositories = { "bert-tiny": bertFiles(), "colours-tiny": colourFiles(), "loudness-tiny": loudnessFiles() };
for (const [name, files] of Object.entries(repositories)) {
  const place = new URL(`${name}/`, folder);
  await mkdir(new URL("onnx/", place), { recursive: true });
  for (const [path, content] of Object.entries(files)) await writeFile(new URL(path, place), content);
}
console.log(`wrote ${models.length} models, ${Object.keys(repositories).join(", ")} to models/dist`);

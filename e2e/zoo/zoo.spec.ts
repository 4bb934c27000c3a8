import path from "node:path";
import { ROOT } from "../docs/snippets.js";
import { SLOW_ON_GPU, test } from "../support/test.js";
import { expectZoo } from "../support/zoo.js";

// On a GPU, each kind also shows that a file that it cannot run goes to WASM.
test(
  "files as exporters write them answer as Python's onnxruntime does, or say what to do",
  { tag: SLOW_ON_GPU },
  async ({ harness, provider }) => {
    await expectZoo(harness, provider, path.join(ROOT, "models/zoo/files"), "/zoo/");
  },
);

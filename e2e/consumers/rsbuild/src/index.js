import { createBatchedModel } from "framebatch";

// A vertical stroke in an image of 28 by 28 pixels: the digit 1.
const image = Float32Array.from({ length: 784 }, (_, pixel) =>
  Math.abs((pixel % 28) - 13.5) < 1 && pixel >= 112 && pixel < 672 ? 1 : 0,
);

async function show() {
  const model = await createBatchedModel("/models/digits.onnx", {
    numThreads: crossOriginIsolated ? 2 : 1,
    // A GPU in software is used only on demand.
    executionProviders: location.search === "?webgpu" ? ["webgpu"] : "auto",
  });
  const { logits } = await model.predict({ image });
  const output = document.createElement("output");
  output.textContent = `${model.executionProvider} ${logits.data.join(" ")}`;
  document.body.append(output);
}

void show();

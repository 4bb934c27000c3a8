import { createBatchedModel, FramebatchError } from "framebatch";

interface Large {
  inputs: { x: Float32Array };
  outputs: { y: Float32Array };
}

const bar = document.querySelector<HTMLProgressElement>("#progress")!;
const phaseOutput = document.querySelector<HTMLOutputElement>("#phase")!;
const answer = document.querySelector<HTMLOutputElement>("#answer")!;

const controller = new AbortController();
const cancel = document.querySelector<HTMLButtonElement>("#cancel")!;
cancel.addEventListener("click", () => controller.abort());

// Asks the browser not to evict the stored file when the disk is short. Firefox asks the user, who may take long.
void navigator.storage.persist();

try {
  const model = await createBatchedModel<Large>(new URL("model.onnx", location.href), {
    // The weights stay in a Blob, outside the memory of the page, until ONNX Runtime reads them.
    externalData: [{ path: "weights.data", source: new URL("weights.data", location.href) }],
    maxModelBytes: 4e9, // the default is less than a file of this kind may need
    signal: controller.signal,
    onProgress({ phase, loadedBytes, totalBytes }) {
      phaseOutput.value = phase;
      if (totalBytes !== null) bar.value = loadedBytes / totalBytes;
    },
  });
  const { y } = await model.predict({ x: new Float32Array(model.inputs[0]?.dims.at(-1) ?? 0).fill(1) });
  answer.value = `${y.data.length} numbers from ${model.executionProvider}`;
} catch (error) {
  if (controller.signal.aborted) phaseOutput.value = "cancelled";
  else if (error instanceof FramebatchError && error.code === "OUT_OF_MEMORY") phaseOutput.value = "too large here";
  else throw error;
} finally {
  cancel.disabled = true;
}

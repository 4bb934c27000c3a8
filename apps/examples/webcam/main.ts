// The page only moves pictures to the worker, so it never stutters. While one is read, only the newest waits.
import digitsUrl from "@framebatch/models/digits.onnx?url";
import { createBatchedModel, FramebatchError, type BatchedModel } from "framebatch";
import type { RankedScore } from "framebatch/handlers";

const button = document.querySelector<HTMLButtonElement>("#start")!;
const video = document.querySelector<HTMLVideoElement>("#camera")!;
const output = document.querySelector<HTMLOutputElement>("#digit")!;

async function start() {
  button.disabled = true;
  try {
    video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { width: 320, height: 320 } });
    await video.play();
    const model = await createBatchedModel<ImageBitmap, RankedScore>(digitsUrl, {
      worker: () => new Worker(new URL("./digit.worker.ts", import.meta.url), { type: "module" }),
    });
    readEveryPicture(model);
  } catch (error) {
    button.disabled = false; // the camera may be allowed now
    throw error;
  }
}

function readEveryPicture(model: BatchedModel<ImageBitmap, RankedScore>) {
  void read(model);
  video.requestVideoFrameCallback(() => readEveryPicture(model));
}

async function read(model: BatchedModel<ImageBitmap, RankedScore>) {
  try {
    const picture = await createImageBitmap(video);
    const { index, score } = await model.predict(picture, { key: "camera", transfer: true });
    output.value = `${index} (${Math.round(100 * score)} %)`;
  } catch (error) {
    if (!(error instanceof FramebatchError && error.code === "SUPERSEDED")) throw error;
  }
}

button.addEventListener("click", () => void start());

// The page only moves pictures to the worker, so it never stutters. While one is read, only the newest waits.
import digitsUrl from "@framebatch/models/digits.onnx?url";
import { createBatchedModel, FramebatchError, type BatchedModel } from "framebatch";
import type { RankedScore } from "framebatch/handlers";

const button = document.querySelector<HTMLButtonElement>("#start")!;
const video = document.querySelector<HTMLVideoElement>("#camera")!;
const output = document.querySelector<HTMLOutputElement>("#digit")!;

async function start() {
  button.disabled = true;
  let camera: MediaStream | undefined;
  try {
    camera = await navigator.mediaDevices.getUserMedia({ video: { width: 320, height: 320 } });
    video.srcObject = camera;
    await video.play();
    const model = await createBatchedModel<ImageBitmap, RankedScore>(digitsUrl, {
      worker: () => new Worker(new URL("./digit.worker.ts", import.meta.url), { type: "module" }),
    });
    readEveryPicture(model);
  } catch (error) {
    camera?.getTracks().forEach((track) => track.stop()); // nobody reads its pictures
    button.disabled = false; // it may work the next time
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

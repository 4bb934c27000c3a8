import digitsUrl from "@framebatch/models/digits.onnx?url";
import { createBatchedModel } from "framebatch";
import type { RankedScore } from "framebatch/handlers";
import { handwriting } from "./handwriting.js";

const grid = document.querySelector<HTMLElement>("#grid")!;
const read = document.querySelector<HTMLOutputElement>("#read")!;

const model = await createBatchedModel<Blob, RankedScore>(digitsUrl, {
  worker: () => new Worker(new URL("./photo.worker.ts", import.meta.url), { type: "module" }),
});

/** What is being read. A photo that leaves the view before its answer is dropped. */
const waiting = new Map<Element, AbortController>();

async function label(tile: Element, photo: File) {
  const controller = new AbortController();
  waiting.set(tile, controller);
  try {
    const { index } = await model.predict(photo, { signal: controller.signal });
    tile.querySelector("figcaption")!.textContent = String(index);
    inView.unobserve(tile);
    read.value = String(Number(read.value) + 1);
  } catch (error) {
    if (!controller.signal.aborted) console.warn(`${photo.name}:`, error); // this photo only
  } finally {
    waiting.delete(tile);
  }
}

const photos = new Map<Element, File>();

const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const photo = photos.get(target);
    if (isIntersecting && photo !== undefined) void label(target, photo);
    else waiting.get(target)?.abort();
  }
});

for (const photo of await handwriting(300)) {
  const tile = document.createElement("figure");
  tile.innerHTML = `<img alt="" width="112" height="112"><figcaption>…</figcaption>`;
  tile.querySelector("img")!.src = URL.createObjectURL(photo);
  photos.set(tile, photo);
  grid.append(tile);
  inView.observe(tile);
}
document.querySelector<HTMLOutputElement>("#all")!.value = String(photos.size);

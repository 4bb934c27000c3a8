import type { Page } from "@playwright/test";
import { runFirstInWorkers } from "./worker-hook.js";

/** Code for a worker that remembers its GPU devices, and the buffers on them that are framebatch's own. */
const REMEMBER_BUFFERS = `self.devices = [];
  self.buffers = new Set();
  self.made = 0;
  if ("GPUAdapter" in self) {
    const requestDevice = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...terms) {
      const device = await requestDevice.apply(this, terms);
      self.devices.push(device);
      return device;
    };
    const createBuffer = GPUDevice.prototype.createBuffer;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      const buffer = createBuffer.call(this, descriptor);
      if (descriptor.label !== "framebatch") return buffer;
      self.made += 1;
      self.buffers.add(buffer);
      const destroy = buffer.destroy;
      buffer.destroy = () => (self.buffers.delete(buffer), destroy.call(buffer));
      return buffer;
    };
  }`;

/** Makes the workers of a page count the buffers that framebatch has on the GPU. */
export function countBuffers(page: Page): Promise<void> {
  return runFirstInWorkers(page, REMEMBER_BUFFERS);
}

/** Returns how many buffers the newest worker has, and has made. */
export async function buffersOf(page: Page): Promise<{ readonly alive: number; readonly made: number }> {
  const counts = await page.workers().at(-1)?.evaluate<[number, number]>("[self.buffers.size, self.made]");
  const [alive, made] = counts ?? [0, 0];
  return { alive, made };
}

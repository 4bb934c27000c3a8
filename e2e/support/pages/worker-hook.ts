import type { Page } from "@playwright/test";

/** The addresses of the worker scripts of the test pages: that of framebatch, and those with handlers. */
const WORKER_SCRIPT = /\/assets\/\w+\.worker-[\w-]+\.js$/;

/** Makes every worker run `code` before its own script. */
export async function runFirstInWorkers(page: Page, code: string): Promise<void> {
  await page.route(WORKER_SCRIPT, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${code}\n${await response.text()}` });
  });
}

/** The input value that makes a worker fail. */
export const POISON = 12_345;

/** How a worker fails when it receives a batch that contains `POISON`. */
export type Harm = "close" | "hang" | "throw";

const HARMS: Readonly<Record<Harm, string>> = {
  close: "event.stopImmediatePropagation(); self.close();",
  hang: `new BroadcastChannel("hanging").postMessage("now"); for (;;);`,
  throw: `event.stopImmediatePropagation(); throw new Error("poisoned");`,
};

/**
 * Returns code for a worker that fails when it receives a batch that contains `POISON`. On WASM, this is when the batch
 * would run, because the previous run blocks the worker's thread until then.
 */
export function harmedByPoison(harm: Harm): string {
  return `self.addEventListener("message", (event) => {
    const columns = event.data?.request?.rows?.columns ?? [];
    if (columns.some((column) => column.includes(${POISON}))) { ${HARMS[harm]} }
  });`;
}

/** Code for a worker that stores its GPU devices in `self.devices`. */
export const REMEMBER_DEVICES = `self.devices = [];
  const requestDevice = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...terms) {
    const device = await requestDevice.apply(this, terms);
    self.devices.push(device);
    return device;
  };`;

import type { Page } from "@playwright/test";

/** Where the worker's script of the test page is. */
const WORKER_SCRIPT = /\/assets\/worker-[\w-]+\.js$/;

/** Has every worker run `code` before its own script. */
export async function runFirstInWorkers(page: Page, code: string): Promise<void> {
  await page.route(WORKER_SCRIPT, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${code}\n${await response.text()}` });
  });
}

/** Found in a batch, it does the worker harm. */
export const POISON = 12_345;

/** What to do on receiving a batch with the poison in it. */
export type Harm = "close" | "hang" | "throw";

const HARMS: Readonly<Record<Harm, string>> = {
  close: "event.stopImmediatePropagation(); self.close();",
  hang: `new BroadcastChannel("hanging").postMessage("now"); for (;;);`,
  throw: `event.stopImmediatePropagation(); throw new Error("poisoned");`,
};

/**
 * Code for a worker that is harmed by a poisoned batch as it comes, which on WASM is when its turn has come: the run before
 * has kept the thread busy until then. `runs` counts the batches that came.
 */
export function harmedByPoison(harm: Harm): string {
  return `self.addEventListener("message", (event) => {
    const feeds = event.data?.argumentList?.[0]?.value?.feeds;
    if (feeds && Object.values(feeds).some(({ data }) => data.includes(${POISON}))) { ${HARMS[harm]} }
  });`;
}

/** Code for a worker that remembers its GPU devices as \`devices\`. */
export const REMEMBER_DEVICES = `self.devices = [];
  const requestDevice = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...terms) {
    const device = await requestDevice.apply(this, terms);
    self.devices.push(device);
    return device;
  };`;

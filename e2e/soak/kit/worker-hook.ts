import type { Page } from "@playwright/test";
import { KILLERS } from "../page/soak-items.js";

/**
 * Runs before the worker's own script, so that it receives each message first. It stops a message that
 * contains a killer item. It also wraps `postMessage`: `soakFaults` holds the numbers of replies to drop (`mute`) and
 * to shorten by their last row (`shorten`). `soakDevices` holds the GPU devices that ONNX Runtime has requested.
 */
const HOOK = `
  self.soakFaults = { mute: 0, shorten: 0 };
  self.soakDevices = [];
  addEventListener("message", (event) => {
    const ids = event.data?.request?.rows?.columns?.[0];
    if (!(ids instanceof BigInt64Array)) return;
    if (ids.includes(${KILLERS.close}n)) { event.stopImmediatePropagation(); self.close(); }
    while (ids.includes(${KILLERS.hang}n));
  });
  // The models of a group have ports of their own.
  for (const target of [self, MessagePort.prototype]) hookReplies(target, target.postMessage);
  function hookReplies(target, post) {
    target.postMessage = function (message, transfer) {
      return edited(message, transfer, (...sent) => post.apply(this, sent));
    };
  }
  function edited(message, transfer, post) {
    const outputs = message?.reply?.outputs;
    if (outputs !== undefined && self.soakFaults.mute > 0) { self.soakFaults.mute -= 1; return; }
    const rows = Object.values(outputs ?? {})[0]?.dims[0] ?? 0;
    // A reply with one row is not shortened: a reply without rows correctly rejects its single item.
    if (rows > 1 && self.soakFaults.shorten > 0) {
      self.soakFaults.shorten -= 1;
      for (const tensor of Object.values(outputs)) {
        tensor.data = tensor.data.slice(0, (tensor.data.length / rows) * (rows - 1));
        tensor.dims = [rows - 1, ...tensor.dims.slice(1)];
      }
      return post(message);
    }
    return post(message, transfer);
  }
  const prototype = self.GPUAdapter?.prototype;
  if (prototype !== undefined) {
    const requestDevice = prototype.requestDevice;
    prototype.requestDevice = async function (...wishes) {
      const device = await requestDevice.apply(this, wishes);
      self.soakDevices.push(device);
      return device;
    };
  }
`;

/** Prepends the hook to the SDK's worker script, for every worker that the page starts from now on. */
export async function hookWorkers(page: Page): Promise<void> {
  await page.route(/\/framebatch\.worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `{${HOOK}}\n${await response.text()}` });
  });
}

import { generateModel } from "@framebatch/models/generate";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { channelSite } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { hubInNode } from "../../../test/support/hub-in-node.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { GeneratingWorkerModel } from "../../generation/page/generating-model.js";
import { SessionHost } from "../../worker/host/session-host.js";
import type { ModelHub } from "./model-hub.js";

const OPTIONS = { executionProviders: ["wasm"], cache: false } as const;

beforeEach(() => stubBrowser());
afterEach(() => vi.unstubAllGlobals());

/** A hub with room for one model. */
function hubOfOne(): ModelHub {
  const site = channelSite(
    (worker) =>
      new SessionHost(
        (notice) => worker.say(notice),
        undefined,
        () => 100,
      ),
  );
  const hub = hubInNode(site, { memoryBudgetBytes: 100 });
  hub.register("doubling", doublingModel(), OPTIONS);
  hub.register("decoder", generateModel("decoder-rotary").bytes, { ...OPTIONS, generate: true });
  return hub;
}

/** Begins a text whose loop stops after a token, and returns the loop once the text is paused. */
async function pausedText(hub: ModelHub): Promise<AsyncIterator<number>> {
  const model = await hub.get("decoder");
  if (!(model instanceof GeneratingWorkerModel)) throw new TypeError("expected a model that generates texts");
  const loop = model.generate([1, 2, 3], { maxNewTokens: 60 })[Symbol.asyncIterator]();
  await loop.next();
  await expect.poll(() => model.isBusy, { timeout: 60_000 }).toBe(false);
  return loop;
}

it("a paused text does not have its model loaded, and goes on with a model that is loaded again", async () => {
  const hub = hubOfOne();
  const loop = await pausedText(hub);
  const doubling = await hub.get("doubling");
  const before = hub.stats().loads;
  for (const x of [1, 2, 3]) await doubling.predict([x]);
  expect(hub.stats().loads - before).toBe(0);
  let count = 1;
  while ((await loop.next()).done !== true) count += 1;
  expect(count).toBe(60);
  await hub.dispose();
});

it("a model with a paused text that was unloaded stays so, also when the text ends", async () => {
  const hub = hubOfOne();
  const loop = await pausedText(hub);
  const before = hub.stats().loads;
  await hub.unload("decoder");
  await loop.return!();
  await (await hub.get("doubling")).predict([1]);
  expect(hub.stats().loads - before).toBe(1);
  await hub.dispose();
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelHub } from "./model-hub.js";
import type { ModelOptions } from "../../client/options/options.js";
import type { BuiltInSite } from "../../client/workers/worker-site.js";
import { channelSite, hostSite } from "../../../test/support/channel-worker.js";
import { Deployment } from "../../../test/support/deployment.js";
import { doublingModel, squaringModel } from "../../../test/support/doubling-model.js";
import { hubInNode } from "../../../test/support/hub-in-node.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { scripted, silence } from "../../../test/support/scripted-plan.js";

const OPTIONS = { executionProviders: ["wasm"], cache: false } as const satisfies ModelOptions;

const hubs: ModelHub[] = [];
let server = new Deployment();

beforeEach(async () => {
  stubBrowser();
  server = new Deployment();
  await server.open();
});

afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.dispose();
  server.close();
  vi.unstubAllGlobals();
});

function hubAt(site: BuiltInSite): ModelHub {
  const hub = hubInNode(site);
  hubs.push(hub);
  return hub;
}

/** The answer for 3: 6 from the doubling model, 9 from the squaring one. */
async function answer(hub: ModelHub): Promise<unknown> {
  const model = await hub.get("m");
  return (await model.predict([3])).y?.data[0];
}

describe("the models of a hub", () => {
  // defect E10
  it("take the new file after a deployment that has replaced the first one everywhere", async () => {
    const hub = hubAt(hostSite());
    hub.register("m", server.url, OPTIONS);
    expect(await answer(hub)).toBe(6);
    const old = await hub.get("m");
    await hub.unload("m");
    server.deploy(squaringModel());
    // A request that was meant for the old file never gets an answer of the new one.
    await expect(old.predict([3])).rejects.toMatchObject({ code: "MODEL_INTEGRITY" });
    expect(await answer(hub)).toBe(9);
    await expect(old.predict([3])).rejects.toMatchObject({ code: "MODEL_INTEGRITY" });
    expect(hub.health()).toEqual({ live: true, ready: true, models: { m: true } });
    await hub.unload("m");
    expect(await answer(hub)).toBe(9);
  });

  // defect E11
  it("end their loads when the hub is disposed of, and so does every call that waits", async () => {
    const site = channelSite(() => scripted({ load: silence, run: silence }));
    const hub = hubAt(site);
    for (const name of ["m", "n"]) hub.register(name, doublingModel(), OPTIONS);
    const waiting = [hub.get("m"), hub.get("m"), hub.get("n"), hub.unload("n")];
    await vi.waitFor(() => expect(site.started).toHaveLength(1), { timeout: 60_000 });
    const disposed = hub.dispose();
    for (const call of waiting) await expect(call).rejects.toMatchObject({ code: "DISPOSED" });
    await disposed;
    await expect.poll(() => site.started.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });

  // defect E11
  it("end a load that repeats another one when the hub is disposed of", async () => {
    const hub = hubAt(hostSite());
    hub.register("m", server.url, OPTIONS);
    const model = await hub.get("m");
    await hub.unload("m");
    const waiting = [hub.get("m"), model.predict([1])];
    await hub.dispose();
    for (const call of waiting) await expect(call).rejects.toMatchObject({ code: "DISPOSED" });
    expect(model.state).toBe("disposed");
  });

  // defect E12
  it("are loaded anew after a holder has disposed of one", async () => {
    const hub = hubAt(hostSite());
    hub.register("m", doublingModel(), OPTIONS);
    const first = await hub.get("m");
    await first.dispose();
    expect(hub.models()[0]).toMatchObject({ state: "UNAVAILABLE", reason: "it was disposed of", memoryBytes: 0 });
    expect(hub.health()).toEqual({ live: true, ready: true, models: { m: false } });
    expect(await answer(hub)).toBe(6);
    expect(hub.models()[0]).toMatchObject({ state: "READY" });
  });

  // defect E12
  it("are loaded anew for one caller although another one disposes of them during the load", async () => {
    const hub = hubAt(hostSite());
    hub.register("m", doublingModel(), OPTIONS);
    const first = await hub.get("m");
    await hub.unload("m");
    const loading = answer(hub);
    await first.dispose();
    expect(await loading).toBe(6);
  });

  // defect E18
  it("make the hub unready if the first load has failed, until one succeeds", async () => {
    server.deploy(null);
    const hub = hubAt(hostSite());
    hub.register("m", server.url, OPTIONS);
    await expect(hub.get("m")).rejects.toMatchObject({ code: "MODEL_STATUS" });
    expect(hub.health()).toEqual({ live: true, ready: false, models: { m: false } });
    server.deploy(doublingModel());
    expect(await answer(hub)).toBe(6);
    expect(hub.health()).toEqual({ live: true, ready: true, models: { m: true } });
  });

  it("say why they are unavailable after a worker that could not be replaced", async () => {
    const site = hostSite();
    const hub = hubAt(site);
    hub.register("m", server.url, OPTIONS);
    await hub.get("m");
    server.deploy(null);
    site.started[0]?.fail("broken on purpose");
    expect(hub.models()[0]).toMatchObject({ state: "LOADING", reason: "" });
    await expect.poll(() => hub.models()[0]?.state, { timeout: 60_000 }).toBe("UNAVAILABLE");
    expect(hub.models()[0]?.reason).toContain("broken on purpose");
    expect(hub.health().ready).toBe(false);
  });

  it("of several workers are loaded again although one of the workers had failed", async () => {
    const site = hostSite();
    const hub = hubAt(site);
    hub.register("m", server.url, { ...OPTIONS, instances: 2 });
    const model = await hub.get("m");
    server.deploy(null);
    const failure = new Promise<void>((resolve) => model.addEventListener("error", () => resolve()));
    site.started[0]?.fail("broken on purpose");
    await failure;
    await hub.unload("m");
    server.deploy(doublingModel());
    expect((await model.predict([3])).y?.data[0]).toBe(6);
  });
});

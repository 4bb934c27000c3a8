import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createHub, type CreateModel } from "./create-hub.js";
import { type ModelHub, type ModelHubOptions } from "./model-hub.js";
import { createModelAt } from "../../client/model/create-batched-model.js";
import { hasGenerate } from "../../client/options/generation.js";
import { generateModel } from "@framebatch/models/generate";
import { createGeneratingModelAt, GeneratingWorkerModel } from "../../generation/page/generating-model.js";
import { keepModel } from "../../client/options/model-source.js";
import { hasGroup } from "../../client/options/grouped-options.js";
import type { ModelOptions } from "../../client/options/options.js";
import { toPrometheusText } from "@framebatch/batcher/stats/prometheus-text.js";
import { SessionHost } from "../../worker/host/session-host.js";
import { channelSite } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";

/** Size of every model in memory, in bytes. */
const SIZE = 100;

const MODEL_OPTIONS = { executionProviders: ["wasm"], cache: false } as const satisfies ModelOptions;

const hubs: ModelHub[] = [];

beforeEach(() => stubBrowser());

afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.dispose();
  vi.unstubAllGlobals();
});

/** A hub whose models run in this thread, on the real ONNX Runtime. */
function hubWith(options: ModelHubOptions = {}, heapBytes = () => SIZE) {
  const site = channelSite((worker) => new SessionHost((notice) => worker.say(notice), undefined, heapBytes));
  const create: CreateModel = (source, settings, onUse) => {
    if (hasGroup(settings) || settings.worker !== undefined) throw new Error("expected a model of tensors alone");
    const [sites, kept] = [{ site, share: null }, keepModel(source)];
    if (hasGenerate(settings)) return createGeneratingModelAt(sites, kept, settings, onUse);
    return createModelAt(sites, kept, settings, onUse);
  };
  const hub = createHub(create, options);
  hubs.push(hub);
  for (const name of ["a", "b", "c"]) hub.register(name, doublingModel(), MODEL_OPTIONS);
  return { hub, started: site.started };
}

async function answer(hub: ModelHub, name: string, value: number): Promise<number> {
  const model = await hub.get(name);
  const { y } = await model.predict([value]);
  return Number(y!.data[0]);
}

function statesOf(hub: ModelHub): Record<string, string> {
  return Object.fromEntries(hub.models().map(({ name, state }) => [name, state]));
}

describe("a model hub", () => {
  it("loads a model at its first use, once, and gives the same one to all", async () => {
    const { hub, started } = hubWith();
    expect(hub.models()[0]).toMatchObject({ state: "UNAVAILABLE", reason: "not loaded yet", lastUsedMs: null });
    const [first, second] = await Promise.all([hub.get("a"), hub.get("a")]);
    expect(second).toBe(first);
    expect(await hub.get("a")).toBe(first);
    expect(started).toHaveLength(1);
    expect(hub.models()[0]).toMatchObject({ name: "a", state: "READY", reason: "", memoryBytes: SIZE });
    expect(hub.health()).toEqual({ live: true, ready: true, models: { a: true, b: false, c: false } });
  });

  it("unloads the model that has been idle for longest, and loads it again for its next request", async () => {
    const { hub } = hubWith({ memoryBudgetBytes: 2 * SIZE });
    const first = await hub.get("a");
    expect([await answer(hub, "a", 1), await answer(hub, "b", 2), await answer(hub, "c", 3)]).toEqual([2, 4, 6]);
    expect(statesOf(hub)).toEqual({ a: "UNAVAILABLE", b: "READY", c: "READY" });
    expect([first.state, hub.models()[0]?.reason]).toEqual(["unloaded", 'unloaded to make room for "c"']);
    const { y } = await first.predict([5]);
    expect(y?.data[0]).toBe(10);
    expect(statesOf(hub)).toEqual({ a: "READY", b: "UNAVAILABLE", c: "READY" });
    expect(hub.stats()).toMatchObject({ memoryBytes: 2 * SIZE, loads: 4, unloads: 2 });
    expect(hub.stats().models["a"]?.requests.completed).toBe(2);
  });

  it("unloads a model between two runs of its texts, which go on when it is loaded again", async () => {
    const { hub } = hubWith({ memoryBudgetBytes: SIZE });
    hub.register("texts", generateModel("decoder-rotary").bytes, { ...MODEL_OPTIONS, generate: true });
    const lm = await hub.get("texts");
    if (!(lm instanceof GeneratingWorkerModel)) throw new Error("expected a model that generates");
    const text = lm.generate([1, 2, 3], { maxNewTokens: 1000 });
    for await (const _ of text) {
      if (hub.stats().unloads > 0) continue;
      expect(await answer(hub, "a", 4)).toBe(8);
      expect(hub.stats().unloads).toBeGreaterThan(0);
    }
    expect((await text.result).tokens).toHaveLength(1000);
    expect(statesOf(hub)).toEqual({ a: "UNAVAILABLE", b: "UNAVAILABLE", c: "UNAVAILABLE", texts: "READY" });
  });

  it("answers every request, however often the models take turns", async () => {
    const { hub } = hubWith({ memoryBudgetBytes: SIZE });
    const models = await Promise.all(["a", "b", "c"].map((name) => hub.get(name)));
    const values = Array.from({ length: 60 }, (_, index) => index);
    const answers = await Promise.all(
      values.map(async (value) => (await models[value % 3]!.predict([value])).y?.data[0]),
    );
    expect(answers).toEqual(values.map((value) => 2 * value));
    expect(hub.stats().memoryBytes).toBe(SIZE);
  });

  it("keeps the room of a model whose worker is being replaced", async () => {
    const { hub, started } = hubWith({ memoryBudgetBytes: 2 * SIZE });
    const dying = await hub.get("a");
    await hub.get("b");
    started[0]!.fail("broken on purpose");
    expect([dying.state, hub.stats().memoryBytes]).toEqual(["recovering", 2 * SIZE]);
    expect(await answer(hub, "c", 3)).toBe(6);
    expect(hub.stats()).toMatchObject({ memoryBytes: 2 * SIZE, unloads: 1 });
    expect(await answer(hub, "a", 1)).toBe(2);
    expect(hub.stats().memoryBytes).toBe(2 * SIZE);
  });

  it("makes room for a model whose memory grows with a batch", async () => {
    let bytes = SIZE;
    const { hub } = hubWith({ memoryBudgetBytes: 2 * SIZE }, () => bytes);
    await Promise.all([hub.get("a"), hub.get("b")]);
    bytes = SIZE + 1;
    expect(await answer(hub, "b", 1)).toBe(2);
    await expect.poll(() => statesOf(hub)).toEqual({ a: "UNAVAILABLE", b: "READY", c: "UNAVAILABLE" });
    expect(hub.stats()).toMatchObject({ memoryBytes: SIZE + 1, unloads: 1 });
  });

  it("aborts a request that waits for its model", async () => {
    const { hub } = hubWith({ memoryBudgetBytes: SIZE });
    const model = await hub.get("a");
    await hub.get("b");
    const aborting = new AbortController();
    const waiting = model.predict([1], { signal: aborting.signal });
    aborting.abort("enough");
    await expect(waiting).rejects.toBe("enough");
  });

  it("unloads a model on request, and loads it again if requests wait for it", async () => {
    const { hub } = hubWith();
    expect(await answer(hub, "a", 1)).toBe(2);
    await hub.unload("a");
    expect([statesOf(hub)["a"], hub.models()[0]?.reason]).toEqual(["UNAVAILABLE", "unloaded as asked"]);
    await hub.unload("a");
    const model = await hub.get("a");
    const waiting = model.predictMany([[1], [2]]);
    await hub.unload("a");
    expect((await waiting).map(({ y }) => y?.data[0])).toEqual([2, 4]);
    expect(hub.stats()).toMatchObject({ loads: 3, unloads: 2 });
  });

  it("says why a model is unavailable, and tries again when it is asked for again", async () => {
    const { hub } = hubWith();
    hub.register("broken", new Uint8Array([1, 2, 3]), MODEL_OPTIONS);
    await expect(hub.get("broken")).rejects.toMatchObject({ code: "MODEL_INVALID" });
    expect(hub.models().at(-1)).toMatchObject({ state: "UNAVAILABLE", reason: expect.stringContaining("ONNX") });
    await expect(hub.get("broken")).rejects.toMatchObject({ code: "MODEL_INVALID" });
    expect(await answer(hub, "a", 1)).toBe(2);
  });

  it("writes one text of metrics for all models", async () => {
    const { hub } = hubWith();
    await Promise.all(["a", "b"].map((name) => answer(hub, name, 1)));
    const text = toPrometheusText(hub.stats());
    expect(text.match(/# TYPE framebatch_requests_total/g)).toHaveLength(1);
    for (const model of ["a", "b"])
      expect(text).toContain(`framebatch_requests_total{model="${model}",outcome="completed"} 1`);
  });

  it("refuses wrong names and options at once", async () => {
    const { hub } = hubWith();
    const wrong: readonly [() => unknown, string][] = [
      [() => hub.register("a", doublingModel()), 'name: expected a new name, got string "a"'],
      [() => hub.register("", doublingModel()), "name: expected a string of at least one character"],
      [() => hub.register("d", "ftp://a"), "source: expected an address with https:"],
      [() => hub.register("d", doublingModel(), { maxBatchSize: 0 }), "maxBatchSize: expected"],
      [
        () => hub.register("d", doublingModel(), JSON.parse('{"remote":{"url":"/inference"}}')),
        "remote: expected no value in a hub, got an object",
      ],
      [() => createHub(() => Promise.reject(), { memoryBudgetBytes: 0 }), "memoryBudgetBytes: expected a number"],
      [() => createHub(() => Promise.reject(), JSON.parse('{"budget":1}')), "budget: expected an option that exists"],
    ];
    for (const [act, message] of wrong) expect(act).toThrow(message);
    await expect(hub.get("d")).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(hub.models().map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("rejects everything after it was disposed of", async () => {
    const { hub } = hubWith();
    const model = await hub.get("a");
    const open = model.predict([1]);
    const loading = hub.get("b");
    await hub.dispose();
    for (const end of [open, loading, hub.get("a"), model.predict([2]), hub.unload("a")])
      await expect(end).rejects.toMatchObject({ code: "DISPOSED" });
    expect(hub.health()).toMatchObject({ live: false, ready: false });
    await hub.dispose();
  });
});

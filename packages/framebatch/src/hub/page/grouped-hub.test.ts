import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createModelGroup } from "../../client/api/packaged-group.js";
import { createGroupedModelAt } from "../../groups/page/create-grouped-model.js";
import { type ModelGroup, type ModelGroupOptions } from "../../client/options/model-group.js";
import { hasGroup } from "../../client/options/grouped-options.js";
import { createPipeline } from "@framebatch/pipelines/builder/create-pipeline.js";
import type { BatchedModel, Outputs } from "../../client/options/model.js";
import { keepModel } from "../../client/options/model-source.js";
import { createHub, type CreateModel } from "./create-hub.js";
import { type ModelHub, type ModelHubOptions } from "./model-hub.js";
import { groupSite, type MemberPlay, type MemoryNeeds } from "../../../test/support/group-site.js";
import { messages } from "../../../test/support/messages.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { numbersOfRun } from "../../../test/support/scripted-plan.js";

const MB = 1e6;

const ends: { dispose(): Promise<void> }[] = [];

beforeEach(() => stubBrowser());

afterEach(async () => {
  for (const each of ends.splice(0)) await each.dispose();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

type Sizes = Readonly<Record<string, number>>;

interface Scene {
  readonly hub: ModelHub;
  readonly group: ModelGroup;
  readonly started: ReturnType<typeof groupSite>["started"];
  readonly create: CreateModel;
  /** Size of each model, by its address. A test may change it. */
  readonly modelBytes: Record<string, number>;
}

/** A hub in a group whose ONNX Runtime needs 20 MB, and whose models need these sizes, in MB. */
function sceneOf(
  sizes: Sizes,
  { group: limits = {}, isInPieces = false, hearsEndsLate = false, playOf, ...options }: SceneOptions = {},
): Scene {
  const modelBytes = Object.fromEntries(Object.entries(sizes).map(([name, size]) => [addressOf(name), size * MB]));
  const site = groupSite({ runtimeBytes: 20 * MB, modelBytes, isInPieces, hearsEndsLate }, playOf);
  const create: CreateModel = (source, settings, onUse) => {
    if (!hasGroup(settings)) throw new Error("expected a model of a group");
    const load = () => Promise.reject(new Error("expected neither sequences nor texts"));
    return createGroupedModelAt(
      { site, loadSequences: load, loadGenerating: load },
      keepModel(source),
      settings,
      undefined,
      onUse,
    );
  };
  const group = createModelGroup({ executionProviders: ["wasm"], ...limits });
  const hub = createHub(create, { group, ...options });
  ends.push(hub, group);
  for (const name of Object.keys(sizes)) hub.register(name, addressOf(name));
  return { hub, group, started: site.started, create, modelBytes };
}

interface SceneOptions extends Omit<ModelHubOptions, "group">, Pick<MemoryNeeds, "isInPieces" | "hearsEndsLate"> {
  readonly group?: ModelGroupOptions;
  readonly playOf?: () => MemberPlay;
}

function addressOf(name: string): string {
  return `https://example.com/${name}.onnx`;
}

async function answer(hub: ModelHub, name: string, value: number): Promise<number> {
  const model = await hub.get(name);
  const { y } = await model.predict([value]);
  return Number(y!.data[0]);
}

function readyIn(hub: ModelHub): string[] {
  return hub.models().flatMap(({ name, state }) => (state === "READY" ? [name] : []));
}

describe("a hub in a group", () => {
  it("has one worker, in which a model takes the memory that another one has left", async () => {
    const { hub, group, started } = sceneOf({ a: 40, b: 40, c: 40 }, { memoryBudgetBytes: 100 * MB });
    expect([await answer(hub, "a", 1), await answer(hub, "b", 2), await answer(hub, "c", 3)]).toEqual([2, 4, 6]);
    // The size of the third one was not known before it was loaded.
    expect(started).toHaveLength(2);
    expect(await answer(hub, "a", 4)).toBe(8);
    expect(readyIn(hub)).toEqual(["a", "c"]);
    expect(hub.models().map(({ memoryBytes }) => memoryBytes)).toEqual([40 * MB, 0, 40 * MB]);
    expect(started).toHaveLength(2);
    expect([hub.stats().memoryBytes, group.stats().memoryBytes]).toEqual([100 * MB, 100 * MB]);
  });

  it("has a worker that ends when its last model has ended what it must, or after half a second", async () => {
    const { hub, started } = sceneOf({ a: 40 });
    await answer(hub, "a", 1);
    await hub.unload("a");
    await expect.poll(() => started[0]?.isTerminated).toBe(true);

    const late = sceneOf({ a: 40 }, { hearsEndsLate: true });
    await answer(late.hub, "a", 1);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    await late.hub.unload("a");
    await messages();
    await vi.advanceTimersByTimeAsync(499);
    expect(late.started[0]?.isTerminated).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(late.started[0]?.isTerminated).toBe(true);
  });

  it("replaces the worker when models have left more than a quarter of the budget", async () => {
    const { hub, started } = sceneOf({ a: 10, b: 20, c: 30 }, { memoryBudgetBytes: 100 * MB });
    const models = await Promise.all(["a", "b", "c"].map((name) => hub.get(name)));
    await hub.unload("b");
    expect([started.length, hub.stats().memoryBytes]).toEqual([1, 80 * MB]);
    const waiting = models[2]!.predict([4]);
    await hub.unload("a");
    expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
    expect(hub.stats().memoryBytes).toBe(50 * MB);
    expect(readyIn(hub)).toEqual(["c"]);
    expect((await waiting).y?.data[0]).toBe(8);
    expect((await models[0]!.predict([5])).y?.data[0]).toBe(10);
  });

  it("takes the models of the group that are not its own along to the new worker", async () => {
    const { hub, group, started, create } = sceneOf({ a: 40, other: 10 }, { memoryBudgetBytes: 100 * MB });
    const other = await create(addressOf("other"), { group }, () => undefined);
    await hub.get("a");
    await hub.unload("a");
    expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
    expect([group.stats().memoryBytes, other.state]).toEqual([30 * MB, "ready"]);
    expect(await other.predict([1])).toMatchObject({ y: { data: Float32Array.of(2) } });
  });

  it("unloads all others for a model that finds no memory, and loads it once more", async () => {
    const { hub, started } = sceneOf({ a: 40, b: 40, c: 60 }, { group: { maxMemoryBytes: 100 * MB } });
    expect([await answer(hub, "a", 1), await answer(hub, "b", 2), await answer(hub, "c", 3)]).toEqual([2, 4, 6]);
    expect(readyIn(hub)).toEqual(["c"]);
    expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
    expect(hub.models()[0]?.reason).toBe("unloaded because the group had no memory left");
  });

  it("answers requests that wait for a model which finds no memory when it is loaded again", async () => {
    const limits = { group: { maxMemoryBytes: 200 * MB }, isInPieces: true };
    const { hub, started } = sceneOf({ a: 40, b: 130 }, limits);
    const [first, second] = await Promise.all([hub.get("a"), hub.get("b")]);
    await hub.unload("a");
    expect(started).toHaveLength(1);
    const waiting = first.predictMany([[1], [2], [3]]);
    expect((await waiting).map(({ y }) => y?.data[0])).toEqual([2, 4, 6]);
    expect(started).toHaveLength(2);
    expect((await second.predict([4])).y?.data[0]).toBe(8);
    expect(first.stats().requests).toMatchObject({ completed: 3, failed: 0 });
  });

  it("loads a model whose load has overtaken the end of another one in the worker", async () => {
    const limits = { group: { maxMemoryBytes: 100 * MB }, memoryBudgetBytes: 100 * MB, hearsEndsLate: true };
    const { hub, group, started, create } = sceneOf({ a: 50, b: 60, other: 10 }, limits);
    await create(addressOf("other"), { group }, () => undefined);
    const first = await hub.get("a");
    await first.dispose();
    // Nothing here waits for a time: the worker tells when the other model is gone.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    expect(await answer(hub, "b", 2)).toBe(4);
    expect(started).toHaveLength(1);
  });

  it("rejects for a model that is too large alone, and goes on with the others", async () => {
    const { hub } = sceneOf({ a: 40, huge: 90 }, { group: { maxMemoryBytes: 100 * MB } });
    expect(await answer(hub, "a", 1)).toBe(2);
    await expect(hub.get("huge")).rejects.toMatchObject({ code: "OUT_OF_MEMORY" });
    expect(await answer(hub, "a", 2)).toBe(4);
    expect(hub.stats()).toMatchObject({ loads: 2, unloads: 1 });
  });

  it("is the only hub of its group, until it is disposed of", async () => {
    const { hub, group, create } = sceneOf({ a: 1 });
    expect(() => createHub(create, { group })).toThrow("group: expected a group without a hub");
    await hub.dispose();
    ends.push(createHub(create, { group }));
  });

  it("leaves to the group what is the group's", () => {
    const { hub, create } = sceneOf({ a: 1 });
    const wrong: readonly [object, string][] = [
      [{ executionProviders: ["wasm"] }, "executionProviders: expected no value, because group is set"],
      [{ instances: 2 }, "instances: expected no value, because group is set"],
      [{ handlers: "mel" }, "handlers: expected a group with the option worker"],
      [{ maxBatchSize: 0 }, "maxBatchSize: expected"],
    ];
    for (const [options, message] of wrong) expect(() => hub.register("b", addressOf("b"), options)).toThrow(message);
    expect(() => createHub(create, JSON.parse('{"group":{}}'))).toThrow("group: expected a group, got an object");
    const alone = createHub(create, {});
    expect(() => alone.register("b", addressOf("b"), { handlers: "mel" })).toThrow(
      "handlers: expected a hub with a group",
    );
  });

  it.each<[string, (a: BatchedModel<number[]>, hub: ModelHub) => Promise<unknown>]>([
    [
      "keepOnDevice",
      (a) => {
        const keeping: { predict(item: number[], options: object): Promise<unknown> } = a;
        return keeping.predict([1], { keepOnDevice: ["y"] });
      },
    ],
    [
      "a link of a pipeline",
      async (a, hub) => {
        const b = await hub.get<number[], Outputs>("b");
        return createPipeline<number[]>()
          .stage(a)
          .stage(b, { inputs: { x: "y" } })
          .run([1]);
      },
    ],
  ])("loads a model that it has unloaded for a request with %s, which counts as use", async (_what, ask) => {
    const { hub } = sceneOf({ a: 40, b: 40 });
    const a = await hub.get<number[], Outputs>("a");
    await hub.unload("a");
    const [{ lastUsedMs } = { lastUsedMs: null }] = hub.models();
    // The workers of these tests keep nothing, but answer.
    await ask(a, hub).catch(() => undefined);
    expect(readyIn(hub)).toContain("a");
    expect(hub.models()[0]!.lastUsedMs).toBeGreaterThan(lastUsedMs!);
  });

  it("leaves its group once, however often it is disposed of", async () => {
    const { hub: old, group, create } = sceneOf({}, { group: { maxMemoryBytes: 100 * MB } });
    await old.dispose();
    const hub = createHub(create, { group });
    ends.unshift(hub);
    await old.dispose();
    expect(() => createHub(create, { group })).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
  });

  it("loads a model again that was unloaded before the others had made room for it", async () => {
    const begun: string[] = [];
    const gates = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>();
    const hold = (name: string) => {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      gates.set(addressOf(name), { opened, open });
    };
    const playOf = (): MemberPlay => {
      let address = "";
      return {
        load: async ({ location }) => {
          address = "url" in location ? location.url : "";
          return null;
        },
        run: async (request) => {
          begun.push(address);
          await gates.get(address)?.opened;
          const numbers = Float32Array.from(numbersOfRun(request), (value) => 2 * value);
          return {
            ok: true,
            outputs: { y: { type: "float32", dims: [numbers.length, 1], data: numbers } },
            inferenceMs: 1,
          };
        },
      };
    };
    const options = { memoryBudgetBytes: 90 * MB, group: { maxMemoryBytes: 120 * MB }, playOf };
    const { hub, group, create, modelBytes } = sceneOf({ a: 40, b: 10 }, options);
    modelBytes[addressOf("x")] = 60 * MB;
    const b = await hub.get<number[], Outputs>("b");
    await hub.unload("b");
    const a = await hub.get<number[], Outputs>("a");
    modelBytes[addressOf("b")] = 40 * MB;
    hold("a");
    hold("b");
    // The model b needs more memory than before, for which a must leave, whose batch is in flight.
    const calls = [a.predict([1]), b.predict([1])];
    await expect.poll(() => begun).toContain(addressOf("b"));
    // A model of the group that is not the hub's finds no memory, for which b must leave, too.
    const other = create(addressOf("x"), { group }, () => undefined);
    await expect.poll(() => hub.models()[1]!.state).not.toBe("READY");
    calls.push(b.predict([2]));
    const [ofA, ofB] = ["a", "b"].map((name) => gates.get(addressOf(name))!);
    gates.clear();
    ofB!.open();
    await calls[1];
    ofA!.open();
    expect(await Promise.all(calls)).toHaveLength(3);
    await (await other).dispose();
  });
});

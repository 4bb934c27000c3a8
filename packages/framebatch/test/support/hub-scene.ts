import { expect } from "vitest";
import { createGroupedModelAt } from "../../src/groups/page/create-grouped-model.js";
import { Group } from "../../src/groups/page/group.js";
import { createHub, type CreateModel } from "../../src/hub/page/create-hub.js";
import { type ModelHub } from "../../src/hub/page/model-hub.js";
import { createModelAt } from "../../src/client/model/create-batched-model.js";
import type { BatchedModel, Outputs } from "../../src/client/options/model.js";
import { hasGroup } from "../../src/client/options/grouped-options.js";
import { keepModel } from "../../src/client/options/model-source.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/padding-plan.js";
import type { LoadReply, LoadRequest, RunReply, RunRequest, WorkerNotice } from "../../src/transport/protocol.js";
import { channelSite, type ChannelWorker } from "./channel-worker.js";
import { groupSite, type MemberPlay } from "./group-site.js";
import { errorData, failed, numbersOfRun, ready, scripted } from "./scripted-plan.js";

export const NAMES = ["a", "b", "c"] as const;

type Name = (typeof NAMES)[number];

export const MB = 2 ** 20;

/** Size of each worker in memory, in bytes, where a model has one of its own. */
const WORKER_BYTES = 100 * MB;

/** What models need of the worker of their group, in bytes. */
const NEEDS = {
  runtimeBytes: 20 * MB,
  modelBytes: { [addressOf("a")]: 100 * MB, [addressOf("b")]: 60 * MB, [addressOf("c")]: 40 * MB },
};

/** What models may leave behind in the worker of a group, as a part of the budget. */
const MAX_RELEASED = 1 / 4;

/** Number of turns of the event loop in which every call must settle that nothing holds up. */
const PATIENCE = 3000;

const ABORTED = "aborted by the test";

const SIGNATURE = resolveSignature(
  [{ name: "x", type: "float32", shape: ["batch", 1] }],
  [{ name: "y", type: "float32", shape: ["batch", 1] }],
);

export interface HubSceneOptions {
  /** `undefined`: the default. */
  readonly memoryBudgetBytes: number | undefined;
  /** Number of workers of each model, where it has its own. */
  readonly instances: number;
  /** The group of all models; `null` if each has its own workers. */
  readonly group: GroupSceneOptions | null;
  /** How long each load and each run takes, in turns of the event loop. */
  readonly loadTurns: number;
  readonly runTurns: number;
}

export interface GroupSceneOptions {
  readonly maxMemoryBytes: number | undefined;
  /** See `MemoryNeeds`. */
  readonly isInPieces: boolean;
}

/** What happened in a scenario that calls may fail for. */
interface Events {
  crashes: number;
  deployments: number;
  outages: number;
  /** Models that a caller has disposed of or restarted. */
  ends: number;
}

/** A call that somebody has made. */
interface Asked {
  readonly what: "get" | "predict" | "unload" | "dispose" | "restart";
  readonly name: Name;
  readonly model: BatchedModel | null;
}

/** A model that somebody has got, and by what its answers multiply: the version of the file that it was loaded from. */
interface Handle {
  readonly name: Name;
  readonly model: BatchedModel;
  factor: number | null;
}

/** A hub of three models on a server that deploys new versions, whose workers the scenario can end. */
export class HubScene {
  readonly hub: ModelHub;
  readonly #options: HubSceneOptions;
  readonly #handles: Handle[] = [];
  readonly #aborts: AbortController[] = [];
  /** What was wrong, in words. */
  readonly #wrong: string[] = [];
  readonly #site = channelSite((worker) => this.#serve(worker));
  readonly #groupSite: ReturnType<typeof groupSite>;
  readonly #group: Group | null;
  /** The addresses of the models that workers have loaded, where each model has its own. */
  readonly #addresses = new Map<ChannelWorker, string>();
  readonly #disposed = new Set<BatchedModel>();
  /** Open calls for each model, and number of calls so far. */
  readonly #callsOf = new Map<Name, { open: number; all: number }>(NAMES.map((name) => [name, { open: 0, all: 0 }]));
  readonly #events: Events = { crashes: 0, deployments: 0, outages: 0, ends: 0 };
  #version = 2;
  #isUp = true;
  #open = 0;
  #isDisposed = false;

  constructor(options: HubSceneOptions) {
    this.#options = options;
    const { memoryBudgetBytes, instances, group } = options;
    const limits = group?.maxMemoryBytes === undefined ? {} : { maxMemoryBytes: group.maxMemoryBytes };
    this.#groupSite = groupSite({ ...NEEDS, isInPieces: group?.isInPieces ?? false }, (say) => this.#play(say));
    this.#group = group === null ? null : new Group({ executionProviders: ["wasm"], ...limits });
    this.hub = createHub((...terms) => this.#create(...terms), {
      ...(memoryBudgetBytes !== undefined && { memoryBudgetBytes }),
      ...(this.#group !== null && { group: this.#group }),
    });
    const own = { executionProviders: ["wasm"], instances, cache: false } as const;
    for (const name of NAMES) this.hub.register(name, addressOf(name), group === null ? own : {});
  }

  readonly #create: CreateModel = (source, settings, onUse) => {
    const [model, site] = [keepModel(source), this.#site];
    if (!hasGroup(settings)) {
      if (settings.worker !== undefined) throw new Error("expected a model of tensors");
      return createModelAt({ site, share: null }, model, settings, onUse);
    }
    const load = () => Promise.reject(new Error("expected neither sequences nor texts"));
    const place = { site: this.#groupSite, loadSequences: load, loadGenerating: load };
    return createGroupedModelAt(place, model, settings, undefined, onUse);
  };

  get(name: Name): void {
    const asked: Asked = { what: "get", name, model: null };
    this.#watch(asked, this.hub.get(name), (model) => void this.#handles.push({ name, model, factor: null }));
  }

  predict({ handle: index, count }: { readonly handle: number; readonly count: number }): void {
    const handle = this.#handles[index % this.#handles.length];
    if (handle === undefined) return;
    for (let value = 1; value <= count; value++) {
      const aborting = new AbortController();
      this.#aborts.push(aborting);
      const { signal } = aborting;
      const asked: Asked = { what: "predict", ...handle };
      this.#watch(asked, handle.model.predict([value], { signal }), (outputs) => this.#check(handle, value, outputs));
    }
  }

  unload(name: Name): void {
    const { open, all } = this.#callsOf.get(name)!;
    const isUnused = () => this.#callsOf.get(name)!.all === all + 1;
    this.#watch({ what: "unload", name, model: null }, this.hub.unload(name), () => {
      if (open === 0 && isUnused()) void this.#expectGone(name, isUnused);
    });
  }

  /** Expects that nothing of a model is left, unless somebody asks for it again. */
  async #expectGone(name: Name, isUnused: () => boolean): Promise<void> {
    const { state, memoryBytes } = this.hub.models().find((model) => model.name === name)!;
    const alive = this.#site.started.filter((worker) => !worker.isTerminated);
    const isHeld = alive.some((worker) => this.#addresses.get(worker) === addressOf(name));
    if (state === "READY" || state === "UNLOADING" || memoryBytes > 0 || isHeld)
      this.#wrong.push(`${name} is ${state} with ${memoryBytes} bytes after it was unloaded`);
    // The worker of a group hears of it by a message.
    this.#open += 1;
    await this.pass(50);
    this.#open -= 1;
    if (isUnused() && this.#aliveInGroup.some((worker) => worker.holds(addressOf(name))))
      this.#wrong.push(`a worker holds ${name} after it was unloaded`);
  }

  disposeModel(index: number): void {
    const handle = this.#handles[index % this.#handles.length];
    if (handle === undefined) return;
    this.#events.ends += 1;
    this.#disposed.add(handle.model);
    this.#watch({ what: "dispose", ...handle }, handle.model.dispose(), () => undefined);
  }

  restart(index: number): void {
    const handle = this.#handles[index % this.#handles.length];
    if (handle === undefined) return;
    this.#events.ends += 1;
    this.#watch({ what: "restart", ...handle }, handle.model.restart(), () => undefined);
  }

  abort(index: number): void {
    this.#aborts[index % this.#aborts.length]?.abort(ABORTED);
  }

  /** Replaces the file of every model. No cache holds the old one. */
  deploy(): void {
    this.#version += 1;
    this.#events.deployments += 1;
  }

  setServer(isUp: boolean): void {
    this.#isUp = isUp;
    if (!isUp) this.#events.outages += 1;
  }

  crash(index: number): void {
    this.#events.crashes += 1;
    const alive = this.#site.started.filter(({ isTerminated }) => !isTerminated);
    alive[index % alive.length]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    for (const worker of this.#aliveInGroup) worker.crash();
  }

  /** Lets a number of turns of the event loop pass. */
  async pass(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves when every call has settled. @throws when one does not, or when an answer was wrong */
  async settled(): Promise<void> {
    for (let turn = 0; this.#open > 0 && turn < PATIENCE; turn++) await this.pass(1);
    expect({ open: this.#open, wrong: this.#wrong }).toEqual({ open: 0, wrong: [] });
  }

  /** Expects that `health` and `models` say what the next calls do. Nothing else must happen meanwhile. */
  async expectToKnowItsModels(): Promise<void> {
    for (const name of NAMES) {
      await this.pass(100);
      const loads = this.hub.stats().loads;
      const { state } = this.hub.models().find((model) => model.name === name)!;
      const isReady = this.hub.health().models[name];
      expect([state, isReady]).toEqual(isReady ? ["READY", true] : ["UNAVAILABLE", false]);
      this.get(name);
      await this.settled();
      const more = this.hub.stats().loads - loads;
      // A group that gets a new worker loads all of its models again.
      expect(isReady ? 0 : 1).toBe(this.#group === null ? more : Math.min(more, 1));
      this.predict({ handle: this.#handles.length - 1, count: 3 });
      await this.settled();
    }
    // Only models that could be loaded are left.
    await this.pass(100);
    expect(this.hub.health().ready).toBe(true);
    this.#expectWithinBudget();
  }

  #expectWithinBudget(): void {
    const { memoryBudgetBytes, instances, group } = this.#options;
    const budgetBytes = memoryBudgetBytes ?? group?.maxMemoryBytes ?? Infinity;
    const { memoryBytes } = this.hub.stats();
    if (this.#group === null)
      return expect(memoryBytes).toBeLessThanOrEqual(Math.max(budgetBytes, instances * WORKER_BYTES));
    const { releasedBytes } = this.#group;
    const hasOne = this.hub.models().filter(({ state }) => state === "READY").length <= 1;
    expect(hasOne ? 0 : memoryBytes - releasedBytes).toBeLessThanOrEqual(budgetBytes);
    expect(releasedBytes).toBeLessThanOrEqual(MAX_RELEASED * budgetBytes);
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.hub.dispose();
    await this.#group?.dispose();
  }

  async expectNothingLeft(): Promise<void> {
    const calls = [this.hub.get("a"), this.hub.unload("a"), ...this.#handles.map(({ model }) => model.predict([1]))];
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/DISPOSED|MODEL_INTEGRITY/) });
    for (let turn = 0; this.#alive > 0 && turn < PATIENCE; turn++) await this.pass(1);
    expect(this.#alive).toBe(0);
    expect(this.hub.health()).toMatchObject({ live: false, ready: false, models: { a: false, b: false, c: false } });
  }

  get #alive(): number {
    return [...this.#site.started, ...this.#groupSite.started].filter(({ isTerminated }) => !isTerminated).length;
  }

  get #aliveInGroup() {
    return this.#groupSite.started.filter(({ isTerminated }) => !isTerminated);
  }

  #watch<Result>(asked: Asked, call: Promise<Result>, onResult: (result: Result) => void): void {
    const calls = this.#callsOf.get(asked.name)!;
    this.#open += 1;
    calls.open += 1;
    calls.all += 1;
    const over = () => {
      this.#open -= 1;
      calls.open -= 1;
    };
    call.then(onResult, (error: unknown) => this.#rejected(asked, error)).finally(over);
  }

  #rejected(asked: Asked, error: unknown): void {
    if (error === ABORTED) return;
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (!this.#mayFail(asked, code)) this.#wrong.push(`${asked.what} of ${asked.name}: ${String(error)}`);
  }

  /** Whether something has happened for which a call may fail: to its own model, or to the server. */
  #mayFail({ what, model }: Asked, code: unknown): boolean {
    const { crashes, deployments, outages } = this.#events;
    if (code === "DISPOSED") return this.#isDisposed || (model !== null && this.#disposed.has(model));
    if (what === "unload" || what === "dispose") return false;
    if (code === "MODEL_INTEGRITY") return deployments > 0;
    if (code === "MODEL_STATUS") return outages > 0;
    // A run is tried again once, and a model that is lost is loaded again.
    const enough = what === "predict" && deployments + outages === 0 ? 2 : 1;
    return code === "WORKER_CRASHED" && crashes >= enough;
  }

  #check(handle: Handle, value: number, { y }: Outputs): void {
    const factor = Number(y?.data[0]) / value;
    handle.factor ??= factor;
    if (factor !== handle.factor) this.#wrong.push(`${handle.name}: ${value} times ${factor}, not ${handle.factor}`);
    if (this.#isDisposed) this.#wrong.push("an answer after the end");
  }

  /** A worker that multiplies by the version of the file that it has loaded. */
  #serve(worker: ChannelWorker) {
    let version = 0;
    return scripted({
      load: async (request) => {
        await this.pass(this.#options.loadTurns);
        version = this.#version;
        const refused = this.#load((notice) => worker.say(notice), request);
        if (refused !== null) return refused;
        this.#addresses.set(worker, "url" in request.location ? request.location.url : "");
        worker.say({ notice: "memory", bytes: WORKER_BYTES });
        return ready("wasm", { signature: SIGNATURE, padding: planPadding(SIGNATURE) });
      },
      run: async (request) => {
        await this.pass(this.#options.runTurns);
        return multiplied(request, version);
      },
    });
  }

  /** The same for a model of a group. */
  #play(say: (notice: WorkerNotice) => void): MemberPlay {
    let version = 0;
    return {
      load: async (request) => {
        await this.pass(this.#options.loadTurns);
        version = this.#version;
        return this.#load(say, request);
      },
      run: async (request) => {
        await this.pass(this.#options.runTurns);
        return multiplied(request, version);
      },
    };
  }

  /** Returns why the model does not load, or `null`. */
  #load(say: (notice: WorkerNotice) => void, { location }: LoadRequest): LoadReply | null {
    const sha256 = `version ${this.#version}`;
    if (!this.#isUp) return failed("wasm", "MODEL_STATUS");
    const pinned = "pinned" in location ? location.pinned : null;
    if (pinned !== null && pinned !== sha256) return failed("wasm", "MODEL_INTEGRITY");
    say({ notice: "obtained", files: [{ sha256, blob: null }] });
    return null;
  }
}

function addressOf(name: Name): string {
  return `https://example.com/${name}.onnx`;
}

function multiplied(request: RunRequest, factor: number): RunReply {
  const products = numbersOfRun(request).map((value) => value * factor);
  const count = "rows" in request ? request.rows.count : 1;
  const dims = [count, products.length / count];
  const y = { type: "float32", dims, data: Float32Array.from(products) } as const;
  return { ok: true, outputs: { y }, inferenceMs: 1 };
}

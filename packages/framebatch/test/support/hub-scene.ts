import { expect } from "vitest";
import { createHub } from "../../src/client/hub/create-hub.js";
import type { ModelHub } from "../../src/client/hub/model-hub.js";
import { createModelAt } from "../../src/client/model/create-batched-model.js";
import type { BatchedModel, Outputs } from "../../src/client/options/model.js";
import { haveGroup } from "../../src/client/options/grouped-options.js";
import { keepModel } from "../../src/client/options/model-source.js";
import type { ErrorCode } from "@framebatch/batcher/errors/errors.js";
import { resolveSignature } from "@framebatch/rows/model/batch-axis.js";
import { planPadding } from "@framebatch/rows/padding/plan.js";
import type { LoadReply, LoadRequest, RunReply, RunRequest } from "../../src/transport/protocol.js";
import { channelSite, type ChannelWorker } from "./channel-worker.js";
import { errorData, failed, numbersOfRun, ready, scripted } from "./scripted-plan.js";

export const NAMES = ["a", "b", "c"] as const;

type Name = (typeof NAMES)[number];

/** Size of each worker in memory, in bytes. */
const WORKER_BYTES = 100;

/** Number of turns of the event loop in which every call must settle that nothing holds up. */
const PATIENCE = 3000;

/** The codes with which a call may fail in a scenario. */
const CODES: readonly ErrorCode[] = ["DISPOSED", "MODEL_INTEGRITY", "MODEL_STATUS", "WORKER_CRASHED"];

const ABORTED = "aborted by the test";

const SIGNATURE = resolveSignature(
  [{ name: "x", type: "float32", shape: ["batch", 1] }],
  [{ name: "y", type: "float32", shape: ["batch", 1] }],
);

export interface HubSceneOptions {
  readonly memoryBudgetBytes: number;
  readonly instances: number;
  /** How long each load and each run takes, in turns of the event loop. */
  readonly loadTurns: number;
  readonly runTurns: number;
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
  #version = 2;
  #isUp = true;
  #open = 0;
  #isDisposed = false;

  constructor(options: HubSceneOptions) {
    this.#options = options;
    const { memoryBudgetBytes, instances } = options;
    const site = this.#site;
    this.hub = createHub(
      (source, settings, onUse) => {
        if (haveGroup(settings) || settings.worker !== undefined) throw new Error("expected a model of tensors alone");
        return createModelAt({ site, share: null }, keepModel(source), settings, onUse);
      },
      { memoryBudgetBytes },
    );
    for (const name of NAMES)
      this.hub.register(name, `https://example.com/${name}.onnx`, {
        executionProviders: ["wasm"],
        cache: false,
        instances,
      });
  }

  get(name: Name): void {
    this.#watch(this.hub.get(name), (model) => void this.#handles.push({ name, model, factor: null }));
  }

  predict({ handle: index, count }: { readonly handle: number; readonly count: number }): void {
    const handle = this.#handles[index % this.#handles.length];
    if (handle === undefined) return;
    for (let value = 1; value <= count; value++) {
      const aborting = new AbortController();
      this.#aborts.push(aborting);
      const { signal } = aborting;
      this.#watch(handle.model.predict([value], { signal }), (outputs) => this.#check(handle, value, outputs));
    }
  }

  unload(name: Name): void {
    this.#watch(this.hub.unload(name), () => undefined);
  }

  disposeModel(index: number): void {
    const handle = this.#handles[index % this.#handles.length];
    if (handle !== undefined) this.#watch(handle.model.dispose(), () => undefined);
  }

  restart(index: number): void {
    const handle = this.#handles[index % this.#handles.length];
    if (handle !== undefined) this.#watch(handle.model.restart(), () => undefined);
  }

  abort(index: number): void {
    this.#aborts[index % this.#aborts.length]?.abort(ABORTED);
  }

  /** Replaces the file of every model. No cache holds the old one. */
  deploy(): void {
    this.#version += 1;
  }

  setServer(isUp: boolean): void {
    this.#isUp = isUp;
  }

  crash(index: number): void {
    const alive = this.#site.started.filter(({ isTerminated }) => !isTerminated);
    alive[index % alive.length]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
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
      expect(this.hub.stats().loads - loads).toBe(isReady ? 0 : 1);
      this.predict({ handle: this.#handles.length - 1, count: 3 });
      await this.settled();
    }
    // Only models that could be loaded are left.
    await this.pass(100);
    expect(this.hub.health().ready).toBe(true);
    expect(this.hub.stats().memoryBytes).toBeLessThanOrEqual(
      Math.max(this.#options.memoryBudgetBytes, this.#options.instances * WORKER_BYTES),
    );
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.hub.dispose();
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
    return this.#site.started.filter(({ isTerminated }) => !isTerminated).length;
  }

  #watch<Result>(call: Promise<Result>, onResult: (result: Result) => void): void {
    this.#open += 1;
    call.then(onResult, (error: unknown) => this.#rejected(error)).finally(() => (this.#open -= 1));
  }

  #rejected(error: unknown): void {
    if (error === ABORTED) return;
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (!CODES.some((known) => known === code)) this.#wrong.push(String(error));
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
        return this.#load(worker, request);
      },
      run: async (request) => {
        await this.pass(this.#options.runTurns);
        return multiplied(request, version);
      },
    });
  }

  #load(worker: ChannelWorker, { location }: LoadRequest): LoadReply {
    const sha256 = `version ${this.#version}`;
    if (!this.#isUp) return failed("wasm", "MODEL_STATUS");
    const pinned = "pinned" in location ? location.pinned : null;
    if (pinned !== null && pinned !== sha256) return failed("wasm", "MODEL_INTEGRITY");
    worker.say({ notice: "obtained", files: [{ sha256, blob: null }] });
    worker.say({ notice: "memory", bytes: WORKER_BYTES });
    return ready("wasm", { signature: SIGNATURE, padding: planPadding(SIGNATURE) });
  }
}

function multiplied(request: RunRequest, factor: number): RunReply {
  const products = numbersOfRun(request).map((value) => value * factor);
  const count = "rows" in request ? request.rows.count : 1;
  const dims = [count, products.length / count];
  const y = { type: "float32", dims, data: Float32Array.from(products) } as const;
  return { ok: true, outputs: { y }, inferenceMs: 1 };
}

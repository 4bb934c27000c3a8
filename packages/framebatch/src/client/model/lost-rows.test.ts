import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ModelOptions } from "../options/options.js";
import type { HybridModel, RemoteMode } from "../options/model.js";
import type { Timer } from "@framebatch/host/clock.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { type Fate, rowLosingSite } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { type Fault, hangUp, InferenceServer, json, status } from "../../../test/support/inference-server.js";
import { hybridInNode, stubBrowser } from "../../../test/support/model-in-node.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { until, withClock } from "@framebatch/host/test/settling.js";

/** Size of an item: so large that it would move to the worker if only the worker could need it. */
const LENGTH = 20_000;
const ROWS = 20;
const SCENARIOS = process.env["FRAMEBATCH_ALL"] === undefined ? 20 : 500;
const VALUES = Array.from({ length: ROWS }, (_, index) => index + 1);

const doubled = (values: readonly number[]) => values.map((value) => 2 * value);

beforeAll(() => stubBrowser());
afterAll(() => vi.unstubAllGlobals());

interface Options extends ModelOptions {
  readonly mode?: RemoteMode;
}

/** A model that doubles numbers, on a device that can lose rows and on a server. */
async function open({ mode = "prefer-on-device", ...options }: Options = {}, timer: Timer = hostTimer) {
  const server = await InferenceServer.start(doublingModel(), ["binary_tensor_data"]);
  onTestFinished(() => server.close());
  const fate: Fate = { losesRows: false, mayLoad: Promise.resolve() };
  const { remote: _, ...own } = options;
  const all = { executionProviders: ["wasm"], verify: false, warmup: false, maxBatchSize: ROWS, ...own } as const;
  const remote = { url: server.url, model: "digits", mode, runTimeoutMs: 3_600_000 };
  const host = { timer, random: () => 1 };
  const model = await hybridInNode(new Uint8Array(doublingModel()), { ...all, remote }, host, rowLosingSite(fate));
  onTestFinished(() => model.dispose());
  await until(() => Object.keys(model.stats().models).length === 2);
  return { model, server, fate };
}

const isRecovering = (model: HybridModel) => model.stats().models.device?.state === "recovering";

/** Predicts items of one value each. Returns the double of each, or the code of its error. */
function outcomesOf(model: HybridModel, values: readonly number[], length = LENGTH): Promise<unknown[]> {
  return Promise.all(values.map((value) => outcomeOf(model, value, length)));
}

async function outcomeOf(model: HybridModel, value: number, length: number): Promise<unknown> {
  try {
    const { y } = await model.predict(new Float32Array(length).fill(value), { transfer: value % 2 === 0 });
    return new Set<unknown>(Array.from<unknown>(y!.data)).size === 1 ? y!.data[0] : "mixed";
  } catch (error) {
    return error instanceof Error && "code" in error ? error.code : error;
  }
}

describe("requests whose worker dies with their rows", () => {
  // defect C5
  it.each([0, 1])("are all answered, also if their items were given away (batch on axis %i)", async (axis) => {
    const { model, fate } = await open({ batchAxis: { x: axis, y: axis } });
    fate.losesRows = true;
    const asked = outcomesOf(model, VALUES);
    await until(() => isRecovering(model));
    fate.losesRows = false;
    expect(await asked).toEqual(doubled(VALUES));
    expect(model.stats().requests).toMatchObject({ open: 0 });
    expect(await outcomesOf(model, VALUES)).toEqual(doubled(VALUES));
  });

  // defect C5
  it("fail no request that waits for the server at that time", async () => {
    const { model, server, fate } = await open({ batching: { release: "idle" } });
    const answers: (() => void)[] = [];
    const held: Fault = (response, received) => void answers.push(() => void server.answer(response, received));
    server.faults.push(held, held);
    let loadNow = () => {};
    fate.mayLoad = new Promise((resolve) => (loadNow = resolve));
    fate.losesRows = true;
    const dying = outcomesOf(model, VALUES);
    await until(() => isRecovering(model));
    const asked: Promise<unknown[]>[] = [];
    for (const value of [100, 101, 102]) {
      asked.push(outcomesOf(model, [value]));
      await until(() => server.inferences.length === Math.min(2, asked.length));
    }
    fate.losesRows = false;
    loadNow();
    expect(await dying).toEqual(doubled(VALUES));
    for (const answer of answers) answer();
    expect((await Promise.all(asked)).flat()).toEqual(doubled([100, 101, 102]));
  });
});

/** What the server can do in place of an answer. */
const FAULTS: readonly Fault[] = [
  hangUp,
  status(400),
  status(500),
  status(503),
  json({ outputs: [{ name: "y", datatype: "FP32", shape: [ROWS + 1, 1], data: Array(ROWS + 1).fill(0) }] }),
  json({ outputs: [{ name: "y", datatype: "FP32", shape: Array(20_000).fill(1), data: [0] }] }),
];

type Step = (scene: Scene) => void | Promise<void>;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ count: fc.constantFrom(1, 2, ROWS), length: fc.constantFrom(3, LENGTH, LENGTH) }).map(
      ({ count, length }) =>
        (scene: Scene) =>
          scene.ask(count, length),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map(
      (value) =>
        ({ fate }: Scene) =>
          void (fate.losesRows = value),
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(...FAULTS).map((fault) => (scene: Scene) => scene.spoil(fault)) },
  { weight: 3, arbitrary: fc.nat(20).map((turns) => (scene: Scene) => scene.wait(turns)) },
);

/** A model whose workers lose rows and whose server fails, and the requests that were made. */
class Scene {
  readonly fate: Fate;
  readonly #model: HybridModel;
  readonly #server: InferenceServer;
  readonly #clock: ManualClock;
  readonly #asked: { readonly value: number; readonly outcome: Promise<unknown> }[] = [];
  #isServerHealthy = true;

  constructor({ model, server, fate }: Awaited<ReturnType<typeof open>>, clock: ManualClock) {
    this.#model = model;
    this.#server = server;
    this.fate = fate;
    this.#clock = clock;
  }

  ask(count: number, length: number): void {
    for (let index = 0; index < count; index++) {
      const value = this.#asked.length + 1;
      this.#asked.push({ value, outcome: outcomeOf(this.#model, value, length) });
    }
  }

  spoil(fault: Fault): void {
    this.#isServerHealthy = false;
    this.#server.faults.push(fault);
  }

  async wait(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Ends all faults, and checks every outcome. */
  async finish(): Promise<void> {
    this.fate.losesRows = false;
    this.ask(1, LENGTH);
    const outcomes = await withClock(this.#clock, 50, Promise.all(this.#asked.map(({ outcome }) => outcome)));
    for (const [index, { value }] of this.#asked.entries()) {
      if (outcomes[index] === 2 * value) continue;
      // A request is answered unless both sides fail it.
      expect(String(outcomes[index])).toMatch(this.#isServerHealthy ? /^never$/ : /^(WORKER_CRASHED|REMOTE_[A-Z]+)$/);
    }
    const { requests } = this.#model.stats();
    expect(requests).toMatchObject({ offered: this.#asked.length, open: 0 });
    expect(requests.rejected + requests.completed.device + requests.completed.server).toBe(this.#asked.length);
    await this.#model.dispose();
  }
}

// defect C5
it("each request gets its own answer or an error with a code, whatever the workers lose and the server does", async () => {
  const modes = fc.constantFrom<RemoteMode[]>("prefer-on-device", "prefer-in-cloud");
  const steps = fc.array(step, { minLength: 3, maxLength: 12 });
  const property = fc.asyncProperty(modes, steps, async (mode, all) => {
    const clock = new ManualClock();
    const scene = new Scene(await open({ mode }, clock), clock);
    for (const run of all) await run(scene);
    await scene.finish();
  });
  await fc.assert(property, { numRuns: SCENARIOS });
}, 120_000);

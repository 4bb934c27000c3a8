import { Tensor } from "onnxruntime-web/wasm";
import { describe, expect, it } from "vitest";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { Tensor as PlainTensor } from "@framebatch/rows/tensor/tensor.js";
import { ManualClock } from "../../../../host/test/support/manual-clock.js";
import type { ProviderCheck } from "../../transport/providers.js";
import { NO_DEVICE_TENSORS } from "../session/feeds-reply.js";
import { ProviderComparison, type ProviderComparisonConfig } from "./provider-comparison.js";
import { RunLock } from "./run-lock.js";

const info = (name: string) =>
  ({ name, type: "float32", dims: [null, null], batchAxis: 0, symbols: [null, null] }) as const;
const SIGNATURE: ModelSignature = { inputs: [info("x")], outputs: [info("y")], fixedBatch: null };

function tensor(value: number, length = 4): PlainTensor {
  return { type: "float32", dims: [1, length], data: new Float32Array(length).fill(value) };
}

/** Resolves after every promise that is ready has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Scene {
  /** What WASM answers, run by run. */
  readonly wasm?: (run: number) => number;
  readonly runMs?: number;
  readonly modelBytes?: number;
  readonly known?: ProviderCheck | null;
  readonly prepare?: ProviderComparisonConfig["prepare"];
}

function open({ wasm = () => 1, runMs = 1, modelBytes = 1, known = null, prepare }: Scene = {}) {
  const clock = new ManualClock();
  const lock = new RunLock(clock);
  const log: string[] = [];
  let runs = 0;
  const reference = {
    run: async () => {
      log.push(`run at ${clock.now()}`);
      clock.freezeUntil(clock.now() + runMs);
      return { y: tensor(wasm((runs += 1))) };
    },
    agreement: {},
    release: async () => void log.push("released"),
  };
  const comparison = new ProviderComparison({
    provider: "webgpu",
    signature: SIGNATURE,
    known,
    modelBytes,
    lock,
    prepare: prepare ?? (async () => async () => (log.push(`created at ${clock.now()}`), reference)),
    onChecking: () => undefined,
    onLost: () => log.push("lost"),
    onChecked: ({ outcome }) => log.push(outcome),
    timer: clock,
  });
  const saw = (value = 1, length = 4) =>
    comparison.saw({ x: tensor(0, length) }, NO_DEVICE_TENSORS, { y: tensor(value) });
  const goTo = async (atMs: number) => {
    await settled();
    for (let now = clock.now(); now < atMs; now = clock.now()) {
      clock.advanceTo(Math.min(atMs, Math.max(now, clock.nextAtMs)));
      await settled();
    }
  };
  /** Keeps the worker busy with requests. */
  const busyUntil = async (atMs: number) => {
    while (clock.now() < atMs) {
      await lock.run(async () => undefined);
      await goTo(Math.min(atMs, clock.now() + 50));
    }
  };
  return { comparison, saw, goTo, busyUntil, log, lock, clock };
}

describe("a comparison of a provider with WASM", () => {
  it("holds a session on WASM only while items wait for it", async () => {
    const { comparison, saw, goTo, log } = open();
    expect(comparison.check).toMatchObject({ outcome: "inconclusive" });
    await goTo(10);
    expect(log).toEqual([]);
    saw();
    await goTo(1000);
    expect(log).toEqual(["created at 10", "run at 10", "passed", "released"]);
    expect(comparison.check).toMatchObject({ outcome: "passed", comparedSizes: [[4]], fromCache: false });
    saw(1, 100);
    await goTo(2000);
    expect(log.slice(4)).toEqual(["created at 1000", "run at 1000", "passed", "released"]);
    expect(comparison.check.comparedSizes).toEqual([[4], [100]]);
  });

  it("ends with the first answer that differs, which WASM must give twice", async () => {
    const { comparison, saw, goTo, log } = open();
    saw();
    saw(1.5);
    saw();
    await goTo(5000);
    expect(log.filter((entry) => !entry.startsWith("run"))).toEqual(["created at 0", "failed", "released"]);
    expect(comparison.check.reason).toContain('other answers in the output "y", for an item of [4]');
    saw();
    await goTo(9000);
    expect(log.at(-1)).toBe("released");
  });

  it("says nothing of a model that answers otherwise each time", async () => {
    const { comparison, saw, goTo } = open({ wasm: (run) => run });
    saw(3);
    await goTo(5000);
    expect(comparison.check).toMatchObject({
      outcome: "skipped",
      reason: expect.stringContaining("otherwise each time"),
    });
  });

  it("says nothing of a model that does not run on WASM", async () => {
    const prepare = () => Promise.reject(new Error("no kernel"));
    const { comparison, saw, goTo } = open({ prepare });
    saw();
    await goTo(5000);
    expect(comparison.check).toMatchObject({ outcome: "skipped", reason: expect.stringContaining("no kernel") });
  });

  it("finds a number where the other has none, and equal infinities", async () => {
    for (const [gpu, wasm, outcome] of [
      [0, Number.NaN, "failed"],
      [Number.NaN, Number.NaN, "passed"],
      [Infinity, Infinity, "passed"],
      [-Infinity, Infinity, "failed"],
    ] as const) {
      const { comparison, saw, goTo } = open({ wasm: () => wasm });
      saw(gpu);
      await goTo(5000);
      expect(comparison.check.outcome).toBe(outcome);
    }
  });
});

describe("the time of a comparison", () => {
  it("is that of an idle worker", async () => {
    const { saw, goTo, log, lock } = open();
    await lock.run(async () => saw());
    await goTo(99);
    expect(log).toEqual([]);
    await goTo(150);
    expect(log[0]).toBe("created at 100");
  });

  it("is a turn among requests if the worker stays busy and the call is short", async () => {
    const { saw, busyUntil, log, lock } = open();
    await lock.run(async () => saw());
    await busyUntil(1950);
    expect(log).toEqual([]);
    await busyUntil(5000);
    expect(log).toEqual(["created at 2000", "run at 4000", "passed", "released"]);
  });

  it("does not come to a large model, or to a long run, while the worker is busy", async () => {
    const large = open({ modelBytes: 2 ** 23 });
    await large.lock.run(async () => large.saw());
    await large.busyUntil(9000);
    expect(large.log).toEqual([]);
    const long = open({ runMs: 101 });
    long.saw();
    long.saw();
    await long.goTo(50);
    await long.busyUntil(9000);
    expect(long.log.filter((entry) => entry.startsWith("run"))).toEqual(["run at 0"]);
  });

  it("is at most a tenth of the worker's", async () => {
    const { saw, goTo, log } = open({ runMs: 30 });
    for (let item = 0; item < 3; item++) saw();
    await goTo(2000);
    expect(log.filter((entry) => entry.startsWith("run"))).toEqual(["run at 0", "run at 330", "run at 660"]);
  });

  it("is not given to an item that is predicted to take longer than a second", async () => {
    const { comparison, saw, goTo, log } = open({ runMs: 300 });
    saw(1, 4);
    saw(1.5, 400);
    await goTo(20_000);
    expect(log).toEqual(["created at 0", "run at 0", "passed", "released"]);
    expect(comparison.check).toMatchObject({
      comparedSizes: [[4]],
      reason: expect.stringContaining("larger items were not compared"),
    });
  });
});

describe("what a comparison knows", () => {
  const known = { provider: "webgpu", reason: "", comparedSizes: [[4]], fromCache: true } as const;

  it("is what an earlier visit has found", async () => {
    const { comparison, saw, goTo, log } = open({ known: { ...known, outcome: "passed" } });
    saw();
    await goTo(1000);
    expect(log).toEqual([]);
    expect(comparison.check.fromCache).toBe(true);
    saw(1, 8);
    await goTo(2000);
    expect(comparison.check).toMatchObject({ comparedSizes: [[4], [8]], fromCache: false });
  });

  it("is final if the provider was wrong", async () => {
    const { saw, goTo, log } = open({ known: { ...known, outcome: "failed" } });
    saw(1, 100);
    await goTo(1000);
    expect(log).toEqual([]);
  });

  it("needs the next run in the processor's memory if an item that it wants was only on the GPU", () => {
    const { comparison, saw } = open();
    expect(comparison.needsElements).toBe(false);
    const inputs = { x: new Tensor("float32", new Float32Array(4), [1, 4]) };
    comparison.saw({}, { inputs, outputs: null }, { y: tensor(1) });
    expect(comparison.needsElements).toBe(true);
    saw();
    expect(comparison.needsElements).toBe(false);
  });

  it("ends with its model", async () => {
    const { comparison, saw, goTo, log } = open();
    saw();
    comparison.close();
    await goTo(1000);
    expect(log).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import type { ComparedReply } from "../../../src/client/engine/model-engine.js";
import { WayComparison, type WayComparisonConfig } from "../../../src/client/model/way-comparison.js";
import { WorkerClient } from "../../../src/client/workers/worker-client.js";
import type { Way } from "../../../src/core/providers.js";
import type { MeasuredWay, WayRecord } from "../../../src/transport/protocol.js";
import { UNHEARD } from "../../support/channel-worker.js";
import { ManualClock } from "../../support/manual-clock.js";
import { ready, scriptedSite } from "../../support/scripted-plan.js";

const ONE = { provider: "wasm", numThreads: 1 } as const;
const TWO = { provider: "wasm", numThreads: 2 } as const;
const GPU = { provider: "webgpu", numThreads: 1 } as const;

/** How another way behaves: its time for a batch that takes 10 ms, its answer, or why it does not work. */
interface Behaviour {
  readonly ms?: number;
  readonly answer?: number;
  readonly opens?: "never" | Error;
  readonly runs?: "never" | Error;
}

const OWN_MS = 10;
const ROWS = 4;
const answer = (value: number) => ({ y: { type: "float32", dims: [1], data: Float32Array.of(value) } }) as const;

/** A model on `own` that computes one batch after the other, each answered with 1. */
function start(
  own: Way,
  behaviours: readonly (readonly [Way, Behaviour])[],
  config: Partial<WayComparisonConfig> = {},
) {
  const clock = new ManualClock();
  const log: string[] = [];
  const kept: WayRecord[] = [];
  const behaviourOf = (way: Way) => behaviours.find(([other]) => other === way)?.[1] ?? {};
  const nameOf = ({ provider, numThreads }: Way) => `${provider} ${numThreads}`;
  let current: Behaviour = {};
  const client = new WorkerClient(scriptedSite({ loads: [() => ready("wasm")] }, []), 1000, clock, UNHEARD);
  const comparison = new WayComparison({
    own,
    others: behaviours.map(([way]) => way),
    known: null,
    agreement: { relative: null, absolute: 0 },
    worthAfterMs: () => 100,
    mayMeasure: () => true,
    open: async (way) => {
      log.push(`open ${nameOf(way)}`);
      current = behaviourOf(way);
      if (current.opens === "never") return new Promise(() => undefined);
      if (current.opens !== undefined) throw current.opens;
      return { client, close: () => log.push(`close ${nameOf(way)}`) };
    },
    pause: () => log.push("pause"),
    resume: () => log.push("resume"),
    keep: (record) => kept.push(record),
    timer: clock,
    ...config,
  });
  const runOn = async () => {
    const { ms = OWN_MS, answer: value = 1, runs } = current;
    if (runs === "never") return new Promise<never>(() => undefined);
    if (runs !== undefined) throw runs;
    const reply: ComparedReply = { inferenceMs: ms, outputs: answer(value) };
    return { ok: true, reply } as const;
  };
  /** Computes batches, and lets all promises settle after each. */
  const compute = async (batches: number, ownMs = OWN_MS) => {
    for (let batch = 0; batch < batches; batch++) {
      const compares = comparison.begins();
      clock.advanceTo(clock.now() + ownMs);
      if (compares) comparison.ran(ROWS, { inferenceMs: ownMs, outputs: answer(1) }, runOn);
      comparison.computed({ paddedSize: ROWS, inferenceMs: ownMs });
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    }
  };
  return { clock, comparison, log, kept, compute };
}

const outcomes = ({ trials }: WayRecord) =>
  trials.map((trial) => `${trial.provider} ${trial.numThreads} ${trial.reason}`);

describe("the ways to run a model", () => {
  it("are measured once the model has computed enough, and the fastest is kept", async () => {
    const { log, kept, compute } = start(ONE, [
      [TWO, { ms: 5 }],
      [GPU, { ms: 4 }],
    ]);
    await compute(9);
    expect(log).toEqual([]);
    await compute(4000);
    expect(log.filter((entry) => entry !== "pause" && entry !== "resume")).toEqual([
      "open wasm 2",
      "close wasm 2",
      "open webgpu 1",
      "close webgpu 1",
    ]);
    expect(kept).toMatchObject([{ best: GPU }]);
    expect(outcomes(kept[0]!)).toEqual([
      "wasm 1 the others were compared with it",
      "wasm 2 2.00 times as fast, at least 2.00 times",
      "webgpu 1 2.50 times as fast, at least 2.50 times",
    ]);
    expect(kept[0]?.trials.map(({ msPerItem, chosen }) => [msPerItem, chosen])).toEqual([
      [{ 4: 2.5 }, false],
      [{ 4: 1.25 }, false],
      [{ 4: 1 }, true],
    ]);
  });

  it("stay as they are if no other is faster", async () => {
    const { kept, compute } = start(ONE, [[TWO, { ms: 9.8 }]]);
    await compute(3000);
    expect(kept).toMatchObject([{ best: ONE }]);
  });

  it("hold requests back in one run of a hundred, and in none that compiles", async () => {
    const { log, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    await compute(3000);
    expect(log.filter((entry) => entry === "pause")).toHaveLength(9);
  });

  it("that answer differently by a hundredth never win, however fast they are", async () => {
    const { kept, compute } = start(ONE, [[GPU, { ms: 0.1, answer: 1.01 }]]);
    await compute(3000);
    expect(kept).toMatchObject([{ best: ONE, trials: [{}, { agrees: false, chosen: false }] }]);
  });

  it("agree within the tolerance that the page gives", async () => {
    const agreement = { relative: 0.05, absolute: 0 };
    const { kept, compute } = start(ONE, [[GPU, { ms: 1, answer: 1.01 }]], { agreement });
    await compute(3000);
    expect(kept).toMatchObject([{ best: GPU, trials: [{}, { agrees: true, chosen: true }] }]);
  });

  it("are left for WASM if WASM answers differently, whatever its speed", async () => {
    const { kept, compute } = start(GPU, [[ONE, { ms: 30, answer: 1.01 }]]);
    await compute(3000);
    expect(kept).toMatchObject([{ best: ONE }]);
  });

  it.each<readonly [string, Behaviour]>([
    ["cannot be opened", { opens: new Error("no memory") }],
    ["die in a run", { runs: new Error("device lost") }],
    ["take 5 times as long", { ms: 50 }],
  ])("that %s cost nothing, and the next one is measured", async (_, behaviour) => {
    const { log, kept, compute } = start(ONE, [
      [GPU, behaviour],
      [TWO, { ms: 5 }],
    ]);
    await compute(8000);
    expect(kept).toMatchObject([{ best: TWO }]);
    const holds = log.filter((entry) => entry === "pause").length;
    expect(log.filter((entry) => entry === "resume").length).toBeGreaterThanOrEqual(holds);
  });

  it("that stop answering let requests go on after four times their own time and 50 ms", async () => {
    const { clock, comparison, log, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    await compute(10);
    while (!log.includes("pause")) await compute(1);
    expect(log.at(-1)).toBe("resume");
    while (!comparison.begins()) await compute(1);
    comparison.ran(ROWS, { inferenceMs: OWN_MS }, () => new Promise(() => undefined));
    clock.advanceTo(clock.now() + 89);
    expect(log.at(-1)).toBe("pause");
    clock.advanceTo(clock.now() + 1);
    expect(log.at(-1)).toBe("resume");
    expect(comparison.begins()).toBe(false);
  });

  it("are not measured while a trial would disturb", async () => {
    const { log, kept, compute } = start(ONE, [[TWO, { ms: 5 }]], { mayMeasure: () => false });
    await compute(3000);
    expect([log, kept]).toEqual([[], []]);
  });

  it("let requests go on if a batch that is to run twice fails", async () => {
    const { comparison, log, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    await compute(10);
    while (!log.includes("pause")) await compute(1);
    while (!comparison.begins()) await compute(1);
    comparison.ran(ROWS, null, () => Promise.reject(new Error("not called")));
    expect(log.at(-1)).toBe("resume");
  });

  it("are forgotten when the model ends, also while another way starts", async () => {
    const { comparison, kept, log, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    await compute(500);
    comparison.dispose();
    expect(log.at(-1)).toBe("close wasm 2");
    await compute(3000);
    expect(kept).toEqual([]);
    const opening = start(ONE, [[TWO, { opens: "never" }]]);
    await opening.compute(20);
    opening.comparison.dispose();
    expect(opening.comparison.begins()).toBe(false);
  });

  describe("on a later visit", () => {
    const trial = (way: Way): MeasuredWay => ({
      ...way,
      chosen: true,
      reason: "",
      msPerItem: { 4: 2.5 },
      agrees: null,
    });
    const known: WayRecord = { best: ONE, trials: [trial(ONE)] };

    it("are not measured again", async () => {
      const { comparison, log, compute } = start(ONE, [[TWO, { ms: 5 }]], { known });
      await compute(3000);
      expect([log, comparison.trials]).toEqual([[], known.trials]);
    });

    it("are measured again if the best one takes half as long again", async () => {
      const { kept, compute } = start(ONE, [[TWO, { ms: 5 }]], { known });
      await compute(3000, 16);
      expect(kept).toMatchObject([{ best: TWO }]);
    });
  });
});

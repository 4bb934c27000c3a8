import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describe, expect, it, vi } from "vitest";
import { costs } from "@framebatch/batcher/test/known-costs.js";
import type { MeasuredWay, WayRecord } from "../../transport/protocol.js";
import type { Way } from "../../transport/providers.js";
import { type Behaviour, DAY_MS, GPU, nameOf, ONE, REFUSED, TWO, wayScene } from "../../../test/support/way-scene.js";

const takes = (ms: number): Behaviour => ({ ms: () => ms });
const outcomes = ({ trials }: WayRecord) =>
  trials.map((trial) => `${nameOf(trial)} ${trial.chosen ? "chosen, " : ""}${trial.reason}`);

/** Asserts that each request has its own answer, once. */
function expectRight({ ends, asked }: ReturnType<typeof wayScene>, open: number): void {
  expect(ends.filter(({ item, value }) => item !== value)).toEqual([]);
  expect(new Set(ends.map(({ item }) => item)).size).toBe(ends.length);
  expect(asked() - ends.length).toBe(open);
}

describe("the ways to run a model", () => {
  it("are tried once the model has computed enough; each that wins is its own from then on, and the best is kept", async () => {
    const scene = wayScene(ONE, [
      [TWO, takes(5)],
      [GPU, takes(3)],
    ]);
    scene.call(1);
    await scene.pass(90);
    expect(scene.log).toEqual([]);
    await scene.pass(5000);
    expect(scene.log).toEqual(["open wasm 2", "close wasm 2", "open webgpu 1", "close webgpu 1"]);
    expect(scene.changed).toEqual(["wasm 2: 2.00 times as fast", "webgpu 1: 1.67 times as fast"]);
    expect(scene.kept).toMatchObject([{ best: GPU, measuredAtMs: DAY_MS }]);
    expect(outcomes(scene.kept[0]!)).toEqual([
      "wasm 1 the others were compared with it",
      "wasm 2 2.00 times as fast",
      "webgpu 1 chosen, 1.67 times as fast",
    ]);
    expect(scene.kept[0]?.trials.map(({ msPerItem, agrees }) => [msPerItem, agrees])).toEqual([
      [{ 1: 10 }, null],
      [{ 1: 5 }, true],
      [{ 1: 3 }, true],
    ]);
    expectRight(scene, 1);
  });

  it("are left in a second by callers who are never kept waiting for a measurement", async () => {
    const scene = wayScene(ONE, [[TWO, takes(5)]]);
    scene.call(1);
    await scene.pass(10_000, () => scene.changed.length > 0);
    expect(scene.clock.now()).toBeLessThan(1000);
    expect(Math.max(...scene.ends.map(({ tookMs }) => tookMs))).toBe(10);
  });

  it("stay as they are if no other is faster", async () => {
    const scene = wayScene(ONE, [[TWO, takes(9.8)]]);
    scene.call(4);
    await scene.pass(20_000);
    expect(scene.changed).toEqual([]);
    expect(scene.kept).toMatchObject([{ best: ONE, trials: [{ chosen: true }, { chosen: false }] }]);
    expectRight(scene, 4);
  });

  it.each([1, 8, 40])("never run beside each other once they agree, with %i callers", async (callers) => {
    const scene = wayScene(ONE, [[TWO, { ms: (rows) => 2 + rows / 4 }]]);
    scene.call(callers);
    await scene.pass(10_000, () => scene.changed.length > 0);
    expect(scene.changed).toHaveLength(1);
    const runs = scene.runs();
    const others = runs.filter(({ way }) => way === "wasm 2").slice(3);
    const own = runs.filter(({ way }) => way === "wasm 1");
    const beside = others.filter((one) =>
      own.some((each) => each.beganAtMs < one.endedAtMs && each.endedAtMs > one.beganAtMs),
    );
    expect(others.length).toBeGreaterThan(7);
    expect(beside).toEqual([]);
    expectRight(scene, callers);
  });

  it("each have sizes of their own, by their own run times", async () => {
    // One is fast alone and slow in batches, the other one slow alone and fast in batches.
    const scene = wayScene(
      ONE,
      [
        [ONE, { ms: (rows) => 4 * rows }],
        [GPU, { ms: () => 12 }],
      ],
      { options: { costData: costs((rows) => 4 * rows) } },
    );
    scene.call(16);
    await scene.pass(10_000, () => scene.changed.length > 0);
    const sizes = (way: string) => scene.runs().flatMap((run) => (run.way === way ? [run.rows] : []));
    expect(scene.changed).toEqual([expect.stringMatching(/^webgpu 1: /)]);
    expect(sizes("wasm 1").slice(-6)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(sizes("webgpu 1").slice(-3)).toEqual([16, 16, 16]);
    // After the change, the batcher has the run times of the new way.
    await scene.pass(200);
    expect(sizes("webgpu 1").slice(-8)).toEqual([16, 16, 16, 16, 16, 16, 16, 16]);
    expectRight(scene, 16);
  });

  it("forget what runs took while their code was compiled: a cold size would seem slow for hundreds of runs", async () => {
    const scene = wayScene(ONE, [
      [ONE, { ms: (rows) => 8 + rows }],
      [TWO, { ms: (rows, run) => (run <= 4 ? 100 : 2 + rows / 8) }],
    ]);
    const others = () => scene.runs().filter(({ way }) => way === "wasm 2").length;
    while (scene.changed.length === 0) {
      // Only the cold runs are large.
      for (let item = 0; item < (others() < 4 ? 16 : 4); item += 1) void scene.ask();
      await scene.pass(300);
    }
    expect(scene.batcher.costData().shapes.map(({ size }) => size)).not.toContain(16);
    expectRight(scene, 0);
  });

  it("are not left for one that is fast alone and slow in batches, and the own run times are what they were", async () => {
    const scene = wayScene(
      ONE,
      [
        [ONE, { ms: (rows) => 10 + rows / 4 }],
        [TWO, { ms: (rows) => 8 * rows }],
      ],
      { options: { costData: costs((rows) => 10 + rows / 4) } },
    );
    scene.call(16);
    await scene.pass(300);
    const { shapes } = scene.batcher.costData();
    await scene.pass(60_000);
    expect([scene.changed, scene.kept]).toMatchObject([[], [{ best: ONE }]]);
    const learned = new Map(scene.batcher.costData().shapes.map(({ size, meanMs }) => [size, meanMs]));
    for (const { size, meanMs } of shapes) expect([size, learned.get(size)]).toEqual([size, expect.closeTo(meanMs)]);
    expectRight(scene, 16);
  });

  it("tell the run times of the model's own way meanwhile, which are stored for it alone", async () => {
    const scene = wayScene(ONE, [[TWO, takes(30)]]);
    scene.call(1);
    const seen: number[] = [];
    const look = () => {
      for (const { meanMs } of scene.comparison.ownCosts?.shapes ?? []) seen.push(meanMs);
      return false;
    };
    await scene.pass(8000, look);
    expect(scene.runs().filter(({ way }) => way === "wasm 2").length).toBeGreaterThan(7);
    expect(new Set(seen.map((ms) => ms.toFixed(3)))).toEqual(new Set(["10.000"]));
  });

  it("that are slower answer few requests", async () => {
    const scene = wayScene(ONE, [[TWO, takes(40)]]);
    scene.call(1);
    await scene.pass(8000);
    const late = scene.ends.filter(({ tookMs }) => tookMs > 10);
    expect(late.length / scene.ends.length).toBeLessThan(0.01);
    expect(scene.kept).toMatchObject([{ best: ONE }]);
    expectRight(scene, 1);
  });

  it.each([
    ["as fast as the own one", 10],
    ["five times as slow", 50],
  ])("win if they become twice as fast after 2 s, and were %s before", async (_, beforeMs) => {
    const opens = 100;
    const scene = wayScene(ONE, [[TWO, { ms: (_rows, _run, atMs) => (atMs < opens + 2000 ? beforeMs : 5) }]]);
    scene.call(1);
    await scene.pass(10_000);
    expect(scene.changed).toEqual(["wasm 2: 2.00 times as fast"]);
    expectRight(scene, 1);
  });

  it("that answer differently by a hundredth never win, and answer nobody, however fast they are", async () => {
    const scene = wayScene(ONE, [[GPU, { ...takes(0.1), factor: () => 1.01 }]]);
    scene.call(4);
    await scene.pass(5000);
    expect(scene.kept).toMatchObject([{ best: ONE, trials: [{}, { agrees: false, chosen: false }] }]);
    expect(scene.runs().filter(({ way }) => way === "webgpu 1")).toHaveLength(1);
    expectRight(scene, 4);
  });

  it("are compared by the answers that the callers got, whatever they do with them", async () => {
    const scene = wayScene(ONE, [[TWO, takes(5)]], { spoilsAnswers: true });
    scene.call(1);
    await scene.pass(4000);
    expect(scene.kept).toMatchObject([{ best: TWO, trials: [{}, { agrees: true, chosen: true }] }]);
  });

  it("agree within the tolerance that the page gives", async () => {
    const scene = wayScene(ONE, [[GPU, { ...takes(1), factor: () => 1.01 }]], {
      agreement: { relative: 0.05, absolute: 0 },
    });
    scene.call(1);
    await scene.pass(5000);
    expect(scene.kept).toMatchObject([{ best: GPU, trials: [{}, { agrees: true, chosen: true }] }]);
  });

  it("answer nobody while a batch there may differ from its items, and are given up after 30 s", async () => {
    const scene = wayScene(ONE, [[TWO, { ...takes(5), check: "inconclusive" }]]);
    scene.call(1);
    await scene.pass(29_000);
    expect(scene.log).toEqual(["open wasm 2"]);
    await scene.pass(2000);
    expect(scene.log).toEqual(["open wasm 2", "close wasm 2"]);
    expect(scene.runs().filter(({ way }) => way === "wasm 2")).toEqual([]);
    const reason = "whether its batches give the answers of single items was not known in time";
    expect(outcomes(scene.kept[0]!)).toContain(`wasm 2 ${reason}`);
  });

  it("answer nobody if a batch there differs from its items", async () => {
    const scene = wayScene(ONE, [[TWO, { ...takes(5), check: "failed" }]]);
    scene.call(1);
    await scene.pass(1000);
    expect(outcomes(scene.kept[0]!)).toContain("wasm 2 rows mix there");
    expect(scene.runs().filter(({ way }) => way === "wasm 2")).toEqual([]);
  });

  it.each([{ mayRepeat: false }, { isStep: true }])("run no batch that cannot run elsewhere: %o", async (run) => {
    const scene = wayScene(ONE, [[TWO, takes(5)]], { run });
    scene.call(1);
    await scene.pass(4000);
    expect(scene.log).toEqual([]);
  });

  it("are left for WASM if WASM answers differently, whatever its speed, and the others are compared with it", async () => {
    const scene = wayScene(GPU, [
      [ONE, { ...takes(30), factor: () => 1.01 }],
      [TWO, { ...takes(15), factor: () => 1.01 }],
    ]);
    scene.call(1);
    await scene.pass(10_000);
    expect(scene.changed).toEqual([
      'wasm 1: its answers differ in the output "y", and never again webgpu',
      "wasm 2: 2.00 times as fast",
    ]);
    expect(scene.kept.map(({ best }) => best)).toEqual([ONE, TWO]);
    expect(scene.log.filter((entry) => entry.includes("webgpu"))).toEqual([]);
  });

  it.each<readonly [string, Behaviour]>([
    ["cannot be opened", { opens: new FramebatchError("OUT_OF_MEMORY", "no memory") }],
    ["die in the first run", { fault: () => new Error("device lost") }],
    ["die while they answer requests", { ...takes(5), fault: (run) => (run > 8 ? new Error("lost") : "none") }],
    ["take 5 times as long", takes(50)],
  ])("that %s lose no request, and the next one is tried", async (_, behaviour) => {
    const scene = wayScene(ONE, [
      [GPU, behaviour],
      [TWO, takes(5)],
    ]);
    scene.call(8);
    await scene.pass(20_000);
    expect(scene.kept).toMatchObject([{ best: TWO, trials: [ONE, GPU, TWO] }]);
    expectRight(scene, 8);
  });

  it("are not judged by a download that fails, and tried again each time that it must be worth twice as much", async () => {
    const scene = wayScene(ONE, [[TWO, { opens: new FramebatchError("MODEL_NETWORK", "no connection") }]]);
    scene.call(1);
    await scene.pass(100 + 200 + 400 + 100);
    expect([scene.log, scene.kept]).toEqual([["open wasm 2", "open wasm 2", "open wasm 2"], []]);
    expectRight(scene, 1);
  });

  it("are not blamed for an item that both refuse, but for one that only they refuse", async () => {
    const refuses = (items: readonly number[]) => items.some((item) => item % 10 === 0);
    const scene = wayScene(ONE, [
      [ONE, { refuses }],
      [TWO, { ...takes(5), refuses }],
    ]);
    scene.call(1);
    await scene.pass(10_000, () => scene.changed.length > 0);
    expect(scene.changed).toEqual(["wasm 2: 2.00 times as fast"]);
    expect(
      scene.ends.every(({ item, value }) => (item % 10 === 0 ? String(value).includes(REFUSED) : item === value)),
    ).toBe(true);
    const other = wayScene(ONE, [[TWO, { ...takes(5), refuses: ([item = 0]) => item > 20 }]]);
    other.call(1);
    await other.pass(10_000);
    expect(outcomes(other.kept[0]!)).toContain(`wasm 2 ${REFUSED}`);
    expectRight(other, 1);
  });

  it.each([0, 3, 6, 12])(
    "that hang after %i runs delay a batch by four times its time and 50 ms, once",
    async (after) => {
      const scene = wayScene(ONE, [[TWO, { ...takes(5), fault: (run) => (run > after ? "hangs" : "none") }]]);
      scene.call(1);
      await scene.pass(3000, () => scene.changed.length > 0);
      const late = scene.ends.filter(({ tookMs }) => tookMs > 10).map(({ tookMs }) => tookMs);
      // A limit is counted in ticks, and lasts for one more.
      expect(late.every((ms) => ms <= (4 * 10 + 50) * 1.05 + 10)).toBe(true);
      expect(late).toHaveLength(after < 3 ? 0 : 1);
      expect(scene.changed).toEqual([]);
      expectRight(scene, 1);
    },
  );

  it("are not tried while a trial would disturb, and no longer once it would", async () => {
    let may = false;
    const scene = wayScene(ONE, [[TWO, takes(9.8)]], { isHidden: () => !may });
    scene.call(1);
    await scene.pass(3000);
    expect(scene.log).toEqual([]);
    may = true;
    await scene.pass(300);
    may = false;
    await scene.pass(20_000);
    expect([scene.log, scene.kept]).toEqual([["open wasm 2", "close wasm 2"], []]);
    expectRight(scene, 1);
  });

  it("wait while another page measures", async () => {
    let isLocked = true;
    const scene = wayScene(ONE, [[TWO, takes(5)]], { isLocked: () => isLocked });
    scene.call(1);
    await scene.pass(12_000);
    expect(scene.log).toEqual([]);
    isLocked = false;
    await scene.pass(1000);
    expect(scene.changed).toEqual(["wasm 2: 2.00 times as fast"]);
  });

  it("leave an idle page alone after 30 to 60 s", async () => {
    const scene = wayScene(ONE, [[TWO, takes(9.8)]]);
    scene.call(1);
    await scene.pass(1000);
    scene.leave();
    await scene.pass(29_000);
    expect(scene.log).toEqual(["open wasm 2"]);
    await scene.pass(32_000);
    expect(scene.log).toEqual(["open wasm 2", "close wasm 2"]);
    expect(scene.clock.pending).toBe(0);
    expectRight(scene, 0);
  });

  it("rest while a trial would disturb, such as in a hidden tab, from any time on, and go on later", async () => {
    for (let fromMs = 103; fromMs < 500; fromMs += 37) {
      let may = true;
      const scene = wayScene(ONE, [[TWO, { ms: (rows) => 4 + rows / 2 }]], { isHidden: () => !may });
      scene.call(8);
      await scene.pass(fromMs);
      may = false;
      await scene.pass(500);
      expect([scene.log, scene.changed]).toEqual([["open wasm 2", "close wasm 2"], []]);
      may = true;
      await scene.pass(8000, () => scene.changed.length > 0);
      expect(scene.changed).toHaveLength(1);
      expectRight(scene, 8);
    }
  });

  it.each(["recovering", "unloaded"] as const)("end their worker while the model is %s", async (state) => {
    const scene = wayScene(ONE, [[TWO, takes(9.8)]]);
    scene.call(1);
    await scene.pass(400);
    scene.comparison.stateChanged(state);
    await scene.pass(50);
    expect([scene.log, scene.kept]).toEqual([["open wasm 2", "close wasm 2"], []]);
    expectRight(scene, 1);
  });

  it("are forgotten when the model ends, also while another way starts", async () => {
    const scene = wayScene(ONE, [[TWO, takes(5)]]);
    scene.call(1);
    await scene.pass(300);
    scene.comparison.stateChanged("disposed");
    await scene.pass(1000);
    expect([scene.log, scene.changed, scene.kept]).toEqual([["open wasm 2", "close wasm 2"], [], []]);
    const opening = wayScene(ONE, [[TWO, { opens: "never" }]]);
    opening.call(1);
    await opening.pass(300);
    expect(opening.log).toEqual(["open wasm 2"]);
    opening.comparison.stateChanged("disposed");
    await opening.pass(1000);
    expect(opening.log).toEqual(["open wasm 2", "close wasm 2"]);
    expectRight(opening, 1);
  });

  it("are tried no more if the model cannot change its way, whose run times it keeps", async () => {
    const scene = wayScene(ONE, [[TWO, takes(5)]], { canChange: false });
    scene.call(1);
    await scene.pass(6000);
    expect([scene.changed.length, scene.log]).toEqual([1, ["open wasm 2", "close wasm 2"]]);
    expect(scene.batcher.costData().shapes).toMatchObject([{ size: 1, meanMs: 10 }]);
  });

  it.each(["pause", "restore", "costData"] as const)(
    "keep nobody waiting if %s of the batcher throws",
    async (name) => {
      for (const nth of [1, 2, 3, 8]) {
        const scene = wayScene(ONE, [[TWO, takes(9.8)]]);
        const spy = vi.spyOn(scene.batcher, name);
        scene.call(8);
        await scene.pass(2000, () => spy.mock.calls.length === nth - 1);
        spy.mockImplementationOnce(() => {
          throw new Error("thrown on purpose");
        });
        await scene.pass(2000);
        expect(scene.clock.now() - scene.ends.at(-1)!.atMs).toBeLessThan(100);
      }
    },
  );

  it("are tried by requests in long pauses as well, and by nothing else", async () => {
    const scene = wayScene(ONE, [[TWO, takes(5)]]);
    for (let request = 0; request < 300; request += 1) {
      void scene.ask();
      await scene.pass(200);
    }
    expect(scene.changed).toEqual(["wasm 2: 2.00 times as fast"]);
    expect(scene.runs()).toHaveLength(300 + 3);
    expectRight(scene, 0);
  });

  describe("on a later visit", () => {
    const trial = (way: Way): MeasuredWay => ({ ...way, chosen: true, reason: "", msPerItem: { 1: 10 }, agrees: null });
    const known: WayRecord = { best: ONE, trials: [trial(ONE)], measuredAtMs: DAY_MS };

    it("are not tried again", async () => {
      const scene = wayScene(ONE, [[TWO, takes(5)]], { known });
      scene.call(1);
      await scene.pass(3000);
      expect([scene.log, scene.comparison.trials]).toEqual([[], known.trials]);
    });

    it("are tried again after a day: a busy machine does not decide for good", async () => {
      const scene = wayScene(ONE, [[TWO, takes(5)]], { known, today: 2 * DAY_MS + 1 });
      scene.call(1);
      await scene.pass(3000);
      expect(scene.kept).toMatchObject([{ best: TWO, measuredAtMs: 2 * DAY_MS + 1 }]);
    });
  });
});

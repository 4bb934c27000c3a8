import { describe, expect, it } from "vitest";
import { WayComparison, type WayComparisonConfig } from "./way-comparison.js";
import type { ComparedReply, Trust } from "./way-rounds.js";
import { answersOf } from "@framebatch/rows/collate/sent-rows.js";
import type { Run } from "../workers/run.js";
import { WorkerClient } from "../workers/worker-client.js";
import { isSameWay, type Way } from "../../transport/providers.js";
import type { MeasuredWay, WayRecord } from "../../transport/protocol.js";
import { UNHEARD } from "../../../test/support/channel-worker.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { ready, scriptedSite } from "../../../test/support/scripted-plan.js";

const ONE = { provider: "wasm", numThreads: 1 } as const;
const TWO = { provider: "wasm", numThreads: 2 } as const;
const GPU = { provider: "webgpu", numThreads: 1 } as const;

/** How another way behaves: its time for a batch that takes 10 ms, its answer, or why it does not work. */
interface Behaviour {
  readonly ms?: number;
  readonly answer?: number;
  /** Whether a run has this answer, and not that of the model. @default all have */
  readonly differs?: (run: number) => boolean;
  readonly opens?: "never" | "not now" | Error;
  readonly runs?: "never" | Error;
  /** Number of runs that work before those of `runs`. */
  readonly worksFor?: number;
  /** The run that a collection of garbage or another process delays, and for how long. */
  readonly stall?: { readonly run: number; readonly ms: number };
  /** The page takes the processors from one run in this many, which takes three times as long. */
  readonly disturbed?: number;
  readonly trust?: Trust;
}

const OWN_MS = 10;
const ROWS = 4;
const DAY_MS = 24 * 3600 * 1000;
const answer = (value: number) => ({ y: { type: "float32", dims: [1], data: Float32Array.of(value) } }) as const;

/** The time of a batch for its callers, and its answer. */
type Answer = readonly [ms: number, value: unknown];

/** Returns what a promise resolves to; `null` if time must pass before. */
function soon(promise: Promise<Answer>): Promise<Answer | null> {
  const microtasks = async () => {
    for (let microtask = 0; microtask < 16; microtask++) await Promise.resolve();
    return null;
  };
  return Promise.race([promise, microtasks()]);
}

/** A model on `own` that computes one batch after the other, each answered with 1. */
function start(
  own: Way,
  behaviours: readonly (readonly [Way, Behaviour])[],
  {
    canChange = true,
    changesAnswers = false,
    ...config
  }: Partial<WayComparisonConfig> & { readonly canChange?: boolean; readonly changesAnswers?: boolean } = {},
) {
  const clock = new ManualClock();
  const log: string[] = [];
  const kept: WayRecord[] = [];
  const changes: string[] = [];
  const behaviourOf = (way: Way) => behaviours.find(([other]) => isSameWay(other, way))?.[1] ?? {};
  const nameOf = ({ provider, numThreads }: Way) => `${provider} ${numThreads}`;
  const clientOf = () => new WorkerClient(scriptedSite({ loads: [() => ready("wasm")] }, []), 1000, clock, UNHEARD);
  const ownClient = clientOf();
  let current: Behaviour = {};
  let ran = 0;
  const comparison = new WayComparison({
    own,
    others: behaviours.map(([way]) => way),
    known: null,
    agreement: {},
    worthAfterMs: () => 100,
    mayMeasure: () => true,
    open: async (way) => {
      log.push(`open ${nameOf(way)}`);
      current = behaviourOf(way);
      ran = 0;
      if (current.opens === "never") return new Promise(() => undefined);
      if (current.opens === "not now") return null;
      if (current.opens !== undefined) throw current.opens;
      const trust = () => current.trust ?? "yes";
      return { client: clientOf(), trust, close: () => log.push(`close ${nameOf(way)}`) };
    },
    keep: (record) => kept.push(record),
    change: async (best, why, wrong) => {
      changes.push(`${nameOf(best)}: ${why}${wrong === null ? "" : `, and never again ${wrong}`}`);
      if (!canChange) return false;
      ownMs = behaviourOf(best).ms ?? OWN_MS;
      return true;
    },
    timer: clock,
    today: () => DAY_MS,
    ...config,
  });
  const after = (ms: number) => new Promise<void>((resolve) => clock.schedule(clock.now() + ms, resolve));
  let ownMs = OWN_MS;
  /** Numbers of the batches that each side was given. */
  const runs = { own: 0, other: 0 };
  const job: Run = {
    size: ROWS,
    isStep: false,
    isDivided: false,
    timeoutMs: 0,
    mayRepeat: true,
    predictedMs: OWN_MS,
    runOn: async (client) => {
      runs[client === ownClient ? "own" : "other"] += 1;
      if (client === ownClient) {
        await after(ownMs);
        return { ok: true, reply: { ok: true, inferenceMs: ownMs, outputs: answer(1) } };
      }
      const { ms = OWN_MS, answer: value = 1, runs: fault, worksFor = 0, stall, disturbed = Infinity } = current;
      if (fault !== undefined && ran++ >= worksFor) {
        if (fault === "never") return new Promise<never>(() => undefined);
        throw fault;
      }
      const delayMs = runs.other === stall?.run ? stall.ms : runs.other % disturbed === 0 ? 2 * ms : 0;
      await after(ms + delayMs);
      const given = (current.differs?.(runs.other) ?? true) ? value : 1;
      return { ok: true, reply: { ok: true, inferenceMs: ms, outputs: answer(given) } };
    },
  };
  const pool = { run: (batch: Run) => batch.runOn(ownClient, { timeoutMs: 1000, isDivided: false }) };
  const ask = async (changed: Partial<Run>): Promise<Answer> => {
    const sentMs = clock.now();
    const result = await comparison.run({ ...job, ...changed }, pool);
    if (!result.ok) return [clock.now() - sentMs, result.error];
    const { outputs = {} }: ComparedReply = result.reply;
    const data = answersOf(outputs, 1)[0]?.["y"]?.data;
    const value = data?.[0];
    if (changesAnswers && data instanceof Float32Array) data.fill(0);
    return [clock.now() - sentMs, value];
  };
  /** Computes batches, one after the other. Returns the time of each for its callers, and its answer. */
  const compute = async (batches: number, changed: Partial<Run> = {}) => {
    const answers: Answer[] = [];
    for (let batch = 0; batch < batches; batch++) {
      const asked = ask(changed);
      let answered = await soon(asked);
      while (answered === null) {
        clock.advanceTo(clock.nextAtMs);
        answered = await soon(asked);
      }
      answers.push(answered);
    }
    return answers;
  };
  return { clock, comparison, log, kept, changes, runs, compute, slow: (ms: number) => (ownMs = ms) };
}

const outcomes = ({ trials }: WayRecord) =>
  trials.map((trial) => `${trial.provider} ${trial.numThreads} ${trial.reason}`);

describe("the ways to run a model", () => {
  it("are measured once the model has computed enough, and the fastest is kept and told", async () => {
    const { log, kept, changes, compute } = start(ONE, [
      [TWO, { ms: 5 }],
      [GPU, { ms: 4 }],
    ]);
    await compute(9);
    expect(log).toEqual([]);
    await compute(6000);
    expect(log).toEqual(["open wasm 2", "close wasm 2", "open webgpu 1", "close webgpu 1"]);
    expect(changes).toEqual(["webgpu 1: 2.50 times as fast, at least 2.50 times"]);
    expect(kept.at(-1)).toMatchObject({ best: GPU, unfinished: [], measuredAtMs: DAY_MS });
    expect(outcomes(kept.at(-1)!)).toEqual([
      "wasm 1 the others were compared with it",
      "wasm 2 2.00 times as fast, at least 2.00 times",
      "webgpu 1 2.50 times as fast, at least 2.50 times",
    ]);
    expect(kept.at(-1)?.trials.map(({ msPerItem, chosen }) => [msPerItem, chosen])).toEqual([
      [{ 4: 2.5 }, false],
      [{ 4: 1.25 }, false],
      [{ 4: 1 }, true],
    ]);
  });

  it("stay as they are if no other is faster", async () => {
    const { kept, compute } = start(ONE, [[TWO, { ms: 9.8 }]]);
    await compute(8000);
    expect(kept.at(-1)).toMatchObject({ best: ONE });
  });

  it.each([60, 300])("lose no round because one run on the other way stalls for %i ms", async (stallMs) => {
    for (let run = 4; run < 28; run++) {
      const { kept, compute } = start(ONE, [[TWO, { ms: 5, stall: { run, ms: stallMs } }]]);
      await compute(6000);
      expect(kept).toHaveLength(6);
      expect(outcomes(kept.at(-1)!)).toContain("wasm 2 2.00 times as fast, at least 2.00 times");
    }
  });

  it("win in few rounds although the page takes their processors now and then", async () => {
    const { kept, compute } = start(ONE, [[TWO, { ms: 5, disturbed: 7 }]]);
    await compute(6000);
    expect(kept).toHaveLength(6);
    expect(kept.at(-1)).toMatchObject({ best: TWO });
  });

  it("lose if batch after batch is not answered in time", async () => {
    const { kept, runs, compute } = start(ONE, [[TWO, { ms: 200 }]]);
    const answers = await compute(30_000);
    expect(outcomes(kept.at(-1)!)).toContain("wasm 2 0.00 times as fast");
    expect(answers.filter(([tookMs]) => tookMs > OWN_MS)).toHaveLength(4);
    expect(runs.other).toBeLessThan(10);
  });

  it.each([
    ["faster", 5],
    ["a little slower", 11],
    ["three times as slow", 30],
  ])("keep no request waiting, and few run on a way that is %s", async (_, ms) => {
    const { runs, compute } = start(ONE, [[TWO, { ms }]]);
    const answers = await compute(4000);
    const later = answers.filter(([tookMs]) => tookMs > OWN_MS);
    expect(later.length).toBeLessThan(0.02 * answers.length);
    expect(Math.max(...answers.map(([tookMs]) => tookMs))).toBeLessThanOrEqual(Math.max(ms, OWN_MS));
    expect(runs.other).toBeGreaterThan(3);
  });

  it("that are slower compute for about a hundredth of the time, after their first run", async () => {
    const { clock, runs, kept, compute } = start(ONE, [[TWO, { ms: 60 }]]);
    await compute(11);
    const startedMs = clock.now();
    while (kept.at(-1)?.unfinished.length !== 0) await compute(1);
    expect((60 * (runs.other - 1)) / (clock.now() - startedMs)).toBeLessThan(0.015);
    expect(runs.other).toBeGreaterThan(3);
  });

  it("that are hardly slower are measured as soon as those that are faster: nobody feels a round", async () => {
    const { clock, kept, slow, compute } = start(ONE, [[TWO, { ms: 21 }]]);
    slow(20);
    await compute(6);
    const startedMs = clock.now();
    while (kept.at(-1)?.unfinished.length !== 0) await compute(1);
    expect(outcomes(kept.at(-1)!)).toContain("wasm 2 0.95 times as fast");
    // Four comparisons, and the pauses after them and after five rounds.
    expect(clock.now() - startedMs).toBeLessThan(25_000);
  });

  it("that answer differently by a hundredth never win, and answer nobody, however fast they are", async () => {
    const { kept, runs, compute } = start(ONE, [[GPU, { ms: 0.1, answer: 1.01 }]]);
    const answers = await compute(3000);
    expect(kept).toMatchObject([{ best: ONE, trials: [{}, { agrees: false, chosen: false }] }]);
    expect(new Set(answers.map(([, value]) => value))).toEqual(new Set([1]));
    expect(runs.other).toBe(1);
  });

  it("are compared by the answers that the callers got, whatever they do with them", async () => {
    const { kept, compute } = start(ONE, [[TWO, { ms: 5 }]], { changesAnswers: true });
    await compute(4000);
    expect(kept.at(-1)).toMatchObject({ best: TWO, trials: [{}, { agrees: true, chosen: true }] });
  });

  it("answer nobody while a batch there may differ from its items, and are given up after 30 s", async () => {
    const { log, kept, runs, compute } = start(ONE, [[TWO, { ms: 5, trust: "not yet" }]]);
    await compute(3000);
    expect([runs.other, log]).toEqual([0, ["open wasm 2"]]);
    await compute(100);
    expect([runs.other, log]).toEqual([0, ["open wasm 2", "close wasm 2"]]);
    expect(outcomes(kept.at(-1)!)).toContain(
      "wasm 2 whether its batches give the answers of single items was not known in time",
    );
  });

  it("answer nobody if a batch there differs from its items", async () => {
    const { log, kept, runs, compute } = start(ONE, [[TWO, { ms: 5, trust: { no: "rows mix there" } }]]);
    await compute(20);
    expect([runs.other, log]).toEqual([0, ["open wasm 2", "close wasm 2"]]);
    expect(outcomes(kept.at(-1)!)).toContain("wasm 2 rows mix there");
  });

  it("run no batch that cannot run again or may be at fault", async () => {
    const { log, runs, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    await compute(1000, { mayRepeat: false });
    await compute(1000, { isStep: true });
    expect([runs.other, log]).toEqual([0, []]);
    await compute(1);
    await compute(1000, { mayRepeat: false });
    expect([runs.other, log]).toEqual([0, ["open wasm 2"]]);
  });

  it("say why they are not compared while no batch may run elsewhere", async () => {
    const { comparison, kept, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    await compute(9, { mayRepeat: false });
    expect(comparison.trials).toEqual([]);
    await compute(1, { mayRepeat: false });
    expect(comparison.trials).toEqual([
      { ...TWO, chosen: false, reason: expect.stringContaining("not compared"), msPerItem: {}, agrees: null },
    ]);
    await compute(4000);
    expect(comparison.trials.at(-1)).toMatchObject({ ...TWO, chosen: true });
    expect(kept.at(-1)).toMatchObject({ best: TWO });
  });

  it("leave an idle page alone after 30 s, and go on when the model has computed as much again", async () => {
    const { clock, log, kept, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    while (kept.at(-1)?.unfinished[0]?.gains.length !== 2) await compute(10);
    clock.advanceTo(clock.now() + 29_000);
    expect(log).toEqual(["open wasm 2"]);
    clock.advanceTo(clock.now() + 1000);
    expect(log).toEqual(["open wasm 2", "close wasm 2"]);
    await compute(9);
    expect(log).toHaveLength(2);
    while (kept.at(-1)?.best === null) await compute(10);
    expect(kept).toHaveLength(6);
    expect(log).toEqual(["open wasm 2", "close wasm 2", "open wasm 2", "close wasm 2"]);
  });

  it("agree within the tolerance that the page gives", async () => {
    const agreement = { relative: 0.05, absolute: 0 };
    const { kept, compute } = start(ONE, [[GPU, { ms: 1, answer: 1.01 }]], { agreement });
    await compute(5000);
    expect(kept.at(-1)).toMatchObject({ best: GPU, trials: [{}, { agrees: true, chosen: true }] });
  });

  it("are left for WASM if WASM answers differently, whatever its speed", async () => {
    const { kept, compute } = start(GPU, [[ONE, { ms: 30, answer: 1.01 }]]);
    await compute(3000);
    expect(kept).toMatchObject([{ best: ONE }]);
  });

  it("are left for WASM at once, before other ways are measured, which are then compared with WASM", async () => {
    const { log, kept, changes, compute } = start(GPU, [
      [ONE, { ms: 30, answer: 1.01 }],
      [TWO, { ms: 15 }],
    ]);
    while (changes.length === 0) await compute(1);
    expect([log, kept]).toMatchObject([["open wasm 1", "close wasm 1"], [{ best: ONE }]]);
    while (changes.length === 1) await compute(1);
    expect(changes).toEqual([
      'wasm 1: its answers differ in the output "y", and never again webgpu',
      expect.stringMatching(/^wasm 2: .* times$/),
    ]);
    expect(log.slice(2)).toEqual(["open wasm 2", "close wasm 2"]);
    expect(kept.at(-1)).toMatchObject({ best: TWO, trials: [ONE, { ...TWO, agrees: true }] });
  });

  it("never include a GPU again that was left because it answers otherwise, however slow WASM becomes", async () => {
    const { log, changes, slow, compute } = start(GPU, [[ONE, { ms: 9, answer: 1.01, differs: (run) => run > 10 }]]);
    while (changes.length === 0) await compute(1);
    slow(30);
    await compute(5000);
    expect(changes).toHaveLength(1);
    expect(log).toEqual(["open wasm 1", "close wasm 1"]);
  });

  it("never include a GPU again that has answered otherwise, however slow the others become", async () => {
    const { log, changes, slow, compute } = start(ONE, [
      [GPU, { ms: 1, answer: 1.01, differs: (run) => run === 1 }],
      [TWO, { ms: 5 }],
    ]);
    while (changes.length === 0) await compute(1);
    slow(15);
    await compute(5000);
    expect(changes.map((change) => change.slice(0, 6))).toEqual(["wasm 2", "wasm 1"]);
    expect(log.filter((entry) => entry === "open webgpu 1")).toHaveLength(1);
  });

  it.each<readonly [string, Behaviour]>([
    ["cannot be opened", { opens: new Error("no memory") }],
    ["die in the first run", { runs: new Error("device lost") }],
    ["die while they answer requests", { runs: new Error("device lost"), worksFor: 4 }],
    ["take 5 times as long", { ms: 50 }],
  ])("that %s cost nothing, and the next one is measured", async (_, behaviour) => {
    const { kept, compute } = start(ONE, [
      [GPU, behaviour],
      [TWO, { ms: 5 }],
    ]);
    const answers = await compute(8000);
    expect(kept.at(-1)).toMatchObject({ best: TWO });
    expect(new Set(answers.map(([, value]) => value))).toEqual(new Set([1]));
  });

  it.each([0, 4, 20, 50])(
    "that stop answering after %i runs delay a batch by four times its time and 50 ms",
    async (worksFor) => {
      const { kept, compute } = start(ONE, [[TWO, { ms: 5, runs: "never", worksFor }]]);
      const answers = await compute(3000);
      const late = answers.filter(([tookMs]) => tookMs > OWN_MS);
      expect(late).toEqual(worksFor === 0 ? [] : [[4 * OWN_MS + 50 + OWN_MS, 1]]);
      expect(kept.at(-1)?.best ?? ONE).toEqual(ONE);
    },
  );

  it("are not measured while a trial would disturb", async () => {
    const { log, kept, compute } = start(ONE, [[TWO, { ms: 5 }]], { mayMeasure: () => false });
    await compute(3000);
    expect([log, kept]).toEqual([[], []]);
  });

  it("wait while another page measures", async () => {
    const { log, kept, compute } = start(ONE, [[TWO, { opens: "not now" }]]);
    await compute(1200);
    expect([log, kept]).toEqual([["open wasm 2", "open wasm 2", "open wasm 2"], []]);
  });

  it("rest in a hidden tab, and go on with the rounds so far", async () => {
    const { comparison, log, kept, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    while (kept.at(-1)?.unfinished[0]?.gains.length !== 4) await compute(10);
    comparison.rest();
    expect(log).toEqual(["open wasm 2", "close wasm 2"]);
    while (kept.at(-1)?.best === null) await compute(10);
    expect(kept).toHaveLength(6);
    expect(log).toEqual(["open wasm 2", "close wasm 2", "open wasm 2", "close wasm 2"]);
  });

  it("are forgotten when the model ends, also while another way starts or answers", async () => {
    const { comparison, log, kept, runs, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    while (runs.other < 4) await compute(1);
    const stored = kept.length;
    comparison.dispose();
    expect(log.at(-1)).toBe("close wasm 2");
    await compute(3000);
    expect([kept.length, runs.other]).toEqual([stored, 4]);
    const opening = start(ONE, [[TWO, { opens: "never" }]]);
    await opening.compute(20);
    opening.comparison.dispose();
    expect(await opening.compute(1)).toEqual([[OWN_MS, 1]]);
  });

  it("are watched after a change, and measured again if the new way becomes slower", async () => {
    const { changes, kept, compute } = start(ONE, [[TWO, { ms: 5 }]]);
    while (changes.length === 0) await compute(10);
    const stored = kept.length;
    await compute(3000);
    expect([changes.length, kept.length]).toEqual([1, stored]);
    const again = start(ONE, [[TWO, { ms: 5 }]]);
    while (again.changes.length === 0) await again.compute(10);
    again.slow(15);
    await again.compute(5000);
    expect(again.changes).toEqual([
      "wasm 2: 2.00 times as fast, at least 2.00 times",
      "wasm 1: 1.50 times as fast, at least 1.50 times",
    ]);
  });

  it("are left again only for a gain of a quarter", async () => {
    const { changes, kept, compute, slow } = start(ONE, [[TWO, { ms: 5 }]]);
    while (changes.length === 0) await compute(10);
    slow(12);
    await compute(5000);
    expect(changes).toHaveLength(1);
    expect(kept.at(-1)).toMatchObject({ best: TWO });
  });

  it("are measured no more if the model cannot change its way", async () => {
    const { log, changes, compute } = start(ONE, [[TWO, { ms: 5 }]], { canChange: false });
    await compute(6000);
    expect(changes).toHaveLength(1);
    expect(log).toEqual(["open wasm 2", "close wasm 2"]);
  });

  describe("on a later visit", () => {
    const trial = (way: Way): MeasuredWay => ({
      ...way,
      chosen: true,
      reason: "",
      msPerItem: { 4: 2.5 },
      agrees: null,
    });
    const known: WayRecord = { best: ONE, trials: [trial(ONE)], unfinished: [], measuredAtMs: DAY_MS };

    it("are not measured again", async () => {
      const { comparison, log, compute } = start(ONE, [[TWO, { ms: 5 }]], { known });
      await compute(3000);
      expect([log, comparison.trials]).toEqual([[], known.trials]);
    });

    it("are measured again if the best one takes half as long again", async () => {
      const { kept, compute, slow } = start(ONE, [[TWO, { ms: 5 }]], { known });
      slow(16);
      await compute(3000);
      expect(kept.at(-1)).toMatchObject({ best: TWO });
    });

    it("are measured again after a day: a busy machine does not decide for good", async () => {
      const { kept, compute } = start(ONE, [[TWO, { ms: 5 }]], { known, today: () => 2 * DAY_MS + 1 });
      await compute(500);
      // Until then, the next load starts as before.
      expect(kept.at(-1)).toMatchObject({ best: ONE, measuredAtMs: DAY_MS });
      await compute(3000);
      expect(kept.at(-1)).toMatchObject({ best: TWO, measuredAtMs: 2 * DAY_MS + 1 });
    });

    it("are measured further if a short visit has begun", async () => {
      const gains = Array.from({ length: 8 }, () => 2);
      const begun: WayRecord = { best: null, trials: [], unfinished: [{ ...TWO, own: ONE, gains }], measuredAtMs: 0 };
      const { kept, compute } = start(ONE, [[TWO, { ms: 5 }]], { known: begun });
      await compute(500);
      expect(kept).toMatchObject([{ best: TWO }]);
    });

    it("are measured anew if the model ran in another way then", async () => {
      const gains = Array.from({ length: 8 }, () => 2);
      const begun: WayRecord = { best: null, trials: [], unfinished: [{ ...TWO, own: GPU, gains }], measuredAtMs: 0 };
      const { kept, changes, compute } = start(ONE, [[TWO, { ms: 11 }]], { known: begun });
      while (!kept.at(-1)?.best) await compute(10);
      expect([kept.at(-1)?.best, changes]).toEqual([ONE, []]);
    });
  });
});

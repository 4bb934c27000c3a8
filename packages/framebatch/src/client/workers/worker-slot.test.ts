import { afterEach, describe, expect, it, vi } from "vitest";
import { WorkerSlot } from "./worker-slot.js";
import type { Run } from "./pending-runs.js";
import type { RunReply } from "../../transport/protocol.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { ChannelWorker } from "../../../test/support/channel-worker.js";
import {
  ANSWER,
  errorData,
  failed,
  planAt,
  ready,
  runBy,
  runOf,
  scriptedSite,
  silence,
  type Script,
} from "../../../test/support/scripted-plan.js";
import { messages } from "../../../test/support/messages.js";

type Load = NonNullable<Script["loads"]>[number];

/** Starts a slot over workers that follow a script, and logs its events. */
async function supervise(
  script: Script = {},
  providers: ExecutionProvider[] = ["webgpu", "wasm"],
  runTimeoutMs?: number,
) {
  const log: string[] = [];
  const site = scriptedSite(script, log);
  const slot = await WorkerSlot.start(planAt(site, runTimeoutMs), providers, new AbortController().signal, {
    onState: (state, error) => {
      const code = error?.code ?? "as asked";
      log.push(state === "ready" ? "ready" : `${state === "failed" ? state : "recovering"} ${code}`);
    },
    onRetiring: () => false,
    onCompared: ({ provider, outcome }) => log.push(`compared ${provider} ${outcome}`),
    onChecked: ({ provider, batchCheck }) => log.push(`checked ${provider} ${batchCheck.outcome}`),
  });
  const deaths = () => log.filter((entry) => entry.startsWith("recovering") || entry.startsWith("failed")).length;
  return { slot, site, log, deaths };
}

function job(items: readonly number[], changes: Partial<Run> = {}): Run {
  return runBy((client, run) => client.run(runOf(items), [], run), { size: items.length, ...changes });
}

const POISON = 13;

/** Crashes the worker if a batch contains the poison. */
function killedByPoison(items: readonly number[], worker: ChannelWorker): RunReply | Promise<RunReply> {
  return items.includes(POISON) ? die(worker) : ANSWER;
}

function die(worker: ChannelWorker): Promise<never> {
  worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
  return silence();
}

afterEach(() => vi.useRealTimers());

describe("loading", () => {
  it("tries the remaining providers in a new worker, with the model bytes of the first", async () => {
    const spent: Load = () => ({
      outcome: "spent",
      trials: [{ provider: "webgpu", chosen: false, reason: "no f16" }],
      location: { blob: new Blob(["model"]), sha256: null },
      externalData: [],
      variants: [],
      fromCache: true,
      maxRows: null,
    });
    const { slot, site, log } = await supervise({ loads: [spent, () => ready("wasm")] });
    expect(log).toEqual(["load webgpu,wasm url", "load wasm bytes"]);
    expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
    expect(slot.session.trials).toEqual([
      { provider: "webgpu", chosen: false, reason: "no f16" },
      { provider: "wasm", chosen: true, reason: "" },
    ]);
    expect(slot.session.model.fromCache).toBe(true);
    slot.dispose(null);
  });

  it("tries the GPU after WASM, if WASM was best on earlier visits and fails now", async () => {
    const spent: Load = () => ({
      outcome: "spent",
      trials: [{ provider: "wasm", chosen: false, reason: "no memory" }],
      location: { blob: new Blob(["model"]), sha256: null },
      externalData: [],
      variants: [],
      fromCache: true,
      maxRows: null,
    });
    const { slot, log } = await supervise({ loads: [spent, () => ready("webgpu")] });
    expect(log).toEqual(["load webgpu,wasm url", "load webgpu bytes"]);
    expect(slot.session.trials.map(({ provider, chosen }) => [provider, chosen])).toEqual([
      ["wasm", false],
      ["webgpu", true],
    ]);
    slot.dispose(null);
  });

  it("retries a provider once with a smaller batch size after it ran out of memory, and then keeps that size", async () => {
    const asked: [providers: string, maxBatchSize: number][] = [];
    const spent =
      (provider: ExecutionProvider, maxRows: number | null): Load =>
      ({ providers, maxBatchSize }) => {
        asked.push([providers.join(), maxBatchSize]);
        return {
          outcome: "spent",
          trials: [{ provider, chosen: false, reason: "no memory" }],
          location: { blob: new Blob(["1"]), sha256: null },
          externalData: [],
          variants: [],
          fromCache: maxRows === 4,
          maxRows,
        };
      };
    const good: Load = ({ providers, maxBatchSize }) => {
      asked.push([providers.join(), maxBatchSize]);
      return ready(providers[0]!);
    };
    const half = await supervise({ loads: [spent("webgpu", 4), good] });
    expect(half.slot.session.model).toMatchObject({ provider: "webgpu", maxRows: 4, fromCache: true });
    const other = await supervise({ loads: [spent("webgpu", 4), spent("webgpu", null), good] });
    expect(other.slot.session.model).toMatchObject({ provider: "wasm", maxRows: null, fromCache: true });
    expect(asked).toEqual([
      ["webgpu,wasm", 64],
      ["webgpu,wasm", 4],
      ["webgpu,wasm", 64],
      ["webgpu,wasm", 4],
      ["wasm", 64],
    ]);
    for (const { slot } of [half, other]) slot.dispose(null);
  });

  it("keeps the outcome of a check that another tab has ended before the load is answered", async () => {
    const check = { outcome: "passed", reason: "they are alike", fromCache: false } as const;
    const checked: Load = async (_request, worker) => {
      worker.say({ notice: "checked", check });
      await messages();
      return ready("wasm");
    };
    const { slot, log } = await supervise({ loads: [checked] });
    expect(slot.session.batchCheck()).toEqual(check);
    await slot.restart();
    expect(slot.session.batchCheck()).toEqual(check);
    expect(log).toEqual(["load webgpu,wasm url", "recovering as asked", "load webgpu,wasm url", "ready"]);
    slot.dispose(null);
  });

  it("continues without a provider that crashes its worker", async () => {
    const crash: Load = (_request, worker) => {
      worker.say({ notice: "progress", phase: "compile", provider: "webgpu", loadedBytes: 1, totalBytes: 1 });
      worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
      return silence();
    };
    const { slot, log } = await supervise({ loads: [crash, () => ready("wasm")] });
    expect(log).toEqual(["load webgpu,wasm url", "load wasm url"]);
    expect(slot.session.trials[0]).toEqual({ provider: "webgpu", chosen: false, reason: "WORKER_CRASHED" });
    slot.dispose(null);
  });

  it("rejects with the last error, and names the providers that failed before", async () => {
    const spent: Load = () => ({
      outcome: "spent",
      trials: [{ provider: "webgpu", chosen: false, reason: "no f16" }],
      location: { blob: new Blob(["1"]), sha256: null },
      externalData: [],
      variants: [],
      fromCache: false,
      maxRows: null,
    });
    await expect(supervise({ loads: [spent, () => failed("wasm", "OUT_OF_MEMORY")] })).rejects.toMatchObject({
      code: "OUT_OF_MEMORY",
      message: "OUT_OF_MEMORY (tried before: webgpu: no f16)",
    });
  });
});

describe("a worker that crashes", () => {
  it("is replaced by a worker that reuses the results of its checks", async () => {
    const asked: unknown[] = [];
    const { slot, site, log } = await supervise({
      loads: [
        ({ warmup, found }) => {
          asked.push({ warmup, found });
          return ready("wasm");
        },
      ],
    });
    site.started[0]?.say({
      notice: "checked",
      check: { outcome: "passed", reason: "they are alike", fromCache: false },
    });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await vi.waitFor(() => expect(log.at(-1)).toBe("ready"), { timeout: 60_000 });
    expect(asked).toEqual([
      { warmup: true, found: [] },
      {
        warmup: false,
        found: [{ provider: "wasm", batchCheck: { outcome: "passed", reason: "they are alike", fromCache: false } }],
      },
    ]);
    slot.dispose(null);
  });

  it("is replaced, and the batches in flight run again in order", async () => {
    let hasDied = false;
    const { slot, site, log } = await supervise({
      run: (_items, worker) => {
        if (hasDied) return ANSWER;
        hasDied = true;
        return die(worker);
      },
    });
    const runs = [slot.run(job([1, 2])), slot.run(job([3]))];
    for (const run of runs) await expect(run).resolves.toMatchObject({ ok: true });
    expect(site.started).toHaveLength(2);
    expect(log).toEqual([
      "load webgpu,wasm url",
      "run 1 2",
      "run 3",
      "recovering WORKER_CRASHED",
      "load wasm url",
      "ready",
      "run 1 2",
      "run 3",
    ]);
    slot.dispose(null);
  });

  it("twice during the same batch fails that batch, and not the batch behind it", async () => {
    const { slot, deaths } = await supervise({ run: killedByPoison });
    const poisoned = slot.run(job([1, POISON]));
    const innocent = slot.run(job([3]));
    await expect(poisoned).resolves.toMatchObject({ ok: false, error: { code: "WORKER_CRASHED" } });
    await expect(innocent).resolves.toMatchObject({ ok: true });
    expect(deaths()).toBe(2);
    slot.dispose(null);
  });

  it("once during a step of a search fails that step, and fails a single item only after the second crash", async () => {
    const { slot, deaths } = await supervise({ run: killedByPoison });
    await expect(slot.run(job([POISON, 1], { isStep: true }))).resolves.toMatchObject({ ok: false });
    expect(deaths()).toBe(1);
    await expect(slot.run(job([POISON], { isStep: true }))).resolves.toMatchObject({ ok: false });
    expect(deaths()).toBe(3);
    slot.dispose(null);
  });

  it("never fails a batch whose turn had not come, however often it crashes", async () => {
    const { slot, deaths } = await supervise({ run: killedByPoison });
    const innocent = slot.run(job([POISON])).then(() => slot.run(job([POISON])));
    const behind = slot.run(job([1]));
    await innocent;
    await expect(behind).resolves.toMatchObject({ ok: true });
    expect(deaths()).toBe(4);
    slot.dispose(null);
  });

  it("for lack of memory fails the batch without a second run", async () => {
    const { slot, log } = await supervise({
      run: () => ({ ok: false, fatal: true, error: errorData("OUT_OF_MEMORY") }),
    });
    await expect(slot.run(job([1, 2]))).resolves.toMatchObject({ ok: false, error: { code: "OUT_OF_MEMORY" } });
    expect(log.filter((entry) => entry.startsWith("run"))).toEqual(["run 1 2"]);
    slot.dispose(null);
  });

  it("for lack of memory repeats a single item, because the memory of a new worker is all free", async () => {
    let runs = 0;
    const noMemory = { ok: false, fatal: true, error: errorData("OUT_OF_MEMORY") } as const;
    const { slot } = await supervise({
      run: () => (++runs === 1 ? noMemory : ANSWER),
    });
    await expect(slot.run(job([1]))).resolves.toMatchObject({ ok: true });
    await expect(slot.run(job([1]))).resolves.toMatchObject({ ok: true });
    expect(runs).toBe(3);
    slot.dispose(null);
  });

  it("on the GPU is replaced by a worker on the GPU, and the next time by a worker on WASM", async () => {
    const { slot, site, log } = await supervise({ loads: [({ providers }) => ready(providers[0] ?? "wasm")] });
    for (const generation of [0, 1]) {
      site.started[generation]?.say({ notice: "lost", error: errorData("DEVICE_LOST") });
      await expect.poll(() => log.filter((entry) => entry === "ready").length).toBe(generation + 1);
    }
    expect(log.filter((entry) => entry.startsWith("load"))).toEqual([
      "load webgpu,wasm url",
      "load webgpu,wasm url",
      "load wasm url",
    ]);
    slot.dispose(null);
  });

  it("and whose successors die while they load is replaced, up to the ninth consecutive crash", async () => {
    const dying: Load = (_request, worker) => die(worker);
    const lasting = await supervise({ loads: [() => ready("wasm"), dying, dying, () => ready("wasm")] });
    lasting.site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await expect(lasting.slot.run(job([1]))).resolves.toMatchObject({ ok: true });
    expect(lasting.site.started).toHaveLength(4);
    lasting.slot.dispose(null);

    const { slot, site } = await supervise({ loads: [() => ready("wasm"), dying] });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await expect(slot.run(job([1]))).rejects.toMatchObject({ code: "WORKER_CRASHED" });
    expect(site.started).toHaveLength(9);
    slot.dispose(null);
  });

  it.each([
    errorData("WORKER_CRASHED"),
    errorData("DEVICE_LOST"),
    { ...errorData("UNSUPPORTED"), cause: errorData("WORKER_CRASHED") },
  ])("and whose successor tells of a run that broke down while it loads is replaced ($code)", async (error) => {
    const broken: Load = () => ({ outcome: "failed", trials: [], error });
    const { slot, site } = await supervise({ loads: [() => ready("wasm"), broken, () => ready("wasm")] });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await expect(slot.run(job([1]))).resolves.toMatchObject({ ok: true });
    expect(site.started).toHaveLength(3);
    slot.dispose(null);
  });

  it("and whose successor dies in its check of a fixed batch is replaced: no other run of that model is safer", async () => {
    const dyingOn =
      (provider: ExecutionProvider, rows: number): Load =>
      (_request, worker) => {
        worker.say({ notice: "progress", phase: "warmup", provider, loadedBytes: 1, totalBytes: 1 });
        worker.say({ notice: "checking", rows });
        return die(worker);
      };
    const unlessFailed: Load = ({ found }) => {
      const isUnsafe = found.some(
        ({ provider, batchCheck: { outcome } }) => provider === "wasm" && outcome === "failed",
      );
      return isUnsafe ? failed("wasm", "BATCH_UNSAFE") : ready("wasm");
    };
    const loads: Load[] = [() => ready("webgpu"), dyingOn("webgpu", 0), dyingOn("wasm", 4), unlessFailed];
    const { slot, site } = await supervise({ loads });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await expect(slot.run(job([1]))).resolves.toMatchObject({ ok: true });
    slot.dispose(null);
  });

  it("and cannot be replaced fails the model with the cause, and rejects later runs at once", async () => {
    const loads: Load[] = [() => ready("wasm"), () => failed("wasm", "MODEL_NETWORK")];
    const { slot, log } = await supervise({ loads, run: (_items, worker) => die(worker) });
    const failure = { code: "WORKER_CRASHED", cause: { code: "MODEL_NETWORK" } };
    await expect(slot.run(job([1]))).rejects.toMatchObject(failure);
    expect(slot.state).toBe("failed");
    await expect(slot.run(job([1]))).rejects.toMatchObject(failure);
    expect(log).toEqual([
      "load webgpu,wasm url",
      "run 1",
      "recovering WORKER_CRASHED",
      "load wasm url",
      "failed WORKER_CRASHED",
    ]);
  });

  it("in every run fails the model after the ninth consecutive crash", async () => {
    const { slot, deaths } = await supervise({ run: (_items, worker) => die(worker) });
    for (const item of [1, 2, 3, 4]) {
      await expect(slot.run(job([item]))).resolves.toMatchObject({ ok: false });
    }
    await expect(slot.run(job([5]))).rejects.toMatchObject({ code: "WORKER_CRASHED" });
    expect(deaths()).toBe(9);
  });

  it("in runs of other pages is always replaced: those pages count the crashes", async () => {
    const { slot, site, deaths } = await supervise();
    for (let crash = 1; crash <= 10; crash += 1) {
      const worker = site.started.at(-1);
      worker?.say({ notice: "turn", turn: { owner: "other", timeoutMs: 10_000 } });
      worker?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
      await expect.poll(() => slot.state === "ready" && site.started.length).toBe(crash + 1);
    }
    expect(deaths()).toBe(10);
    slot.dispose(null);
  });

  it("as soon as it is ready is not replaced without end", async () => {
    const dying: Load = (_request, worker) => {
      // Crashes in a later task, so that the reply arrives first.
      setTimeout(() => worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") }));
      return ready("wasm");
    };
    const { site, log } = await supervise({ loads: [dying] });
    await expect.poll(() => log.at(-1)).toBe("failed WORKER_CRASHED");
    expect(site.started).toHaveLength(9);
  });
});

describe("a worker that hangs", () => {
  const hangOn = (poison: number) => (items: readonly number[]) =>
    items.includes(poison) ? silence<RunReply>() : ANSWER;

  /** Fakes the timers of waits. Messages between the threads still travel in real time. */
  function fakeTime() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  }

  it("is terminated after 10 s without an answer, and its run is tried once more", async () => {
    fakeTime();
    const { slot, log } = await supervise({ run: hangOn(POISON) });
    const hung = slot.run(job([1, POISON], { predictedMs: 2 }));
    const behind = slot.run(job([2], { predictedMs: 2 }));
    await messages();
    await vi.advanceTimersByTimeAsync(10_999);
    expect(log.at(-1)).toBe("run 2");
    await vi.advanceTimersByTimeAsync(1);
    await messages();
    expect(log.slice(3)).toEqual(["recovering WORKER_HUNG", "load wasm url", "ready", "run 1 13"]);
    await vi.advanceTimersByTimeAsync(11_000);
    await expect(hung).resolves.toMatchObject({ ok: false, error: { code: "WORKER_HUNG" } });
    await expect(behind).resolves.toMatchObject({ ok: true });
    while (slot.state !== "ready") await messages();
    // No timer of the runs or of the workers before is left that could end this one.
    const { length } = log;
    await vi.advanceTimersByTimeAsync(600_000);
    expect([slot.state, log.slice(length)]).toEqual(["ready", []]);
    slot.dispose(null);
  });

  it("while it loads the model again is replaced twice: each time, requests wait for more than a minute", async () => {
    fakeTime();
    const silent: Load = () => silence();
    const lasting = await supervise({ loads: [() => ready("wasm"), silent, silent, () => ready("wasm")] });
    lasting.site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    const answered = lasting.slot.run(job([1]));
    for (let load = 0; load < 2; load += 1) {
      await messages();
      await vi.advanceTimersByTimeAsync(90_000);
    }
    await messages();
    await expect(answered).resolves.toMatchObject({ ok: true });
    lasting.slot.dispose(null);

    const { slot, site, log } = await supervise({ loads: [() => ready("wasm"), silent] });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    for (let load = 0; load < 3; load += 1) {
      await messages();
      expect(log.at(-1)).toBe("load wasm url");
      await vi.advanceTimersByTimeAsync(90_000);
    }
    await messages();
    expect(log.at(-1)).toBe("failed WORKER_CRASHED");
    expect(site.started).toHaveLength(4);
    slot.dispose(null);
  });

  it("gets 20 times the predicted time, and a minute without a prediction", async () => {
    fakeTime();
    for (const [predictedMs, timeoutMs] of [
      [1000, 20_000],
      [null, 60_000],
    ] as const) {
      const { slot, log } = await supervise({ run: silence });
      void slot.run(job([1], { predictedMs })).catch(() => undefined);
      await messages();
      await vi.advanceTimersByTimeAsync(timeoutMs);
      expect(log.at(-1)).toBe("run 1");
      await vi.advanceTimersByTimeAsync(1000);
      expect(log).toContain("recovering WORKER_HUNG");
      slot.dispose(null);
    }
  });

  it("gets runTimeoutMs if it is set", async () => {
    fakeTime();
    const { slot, log } = await supervise({ run: silence }, ["wasm"], 500);
    void slot.run(job([1], { predictedMs: 1000 })).catch(() => undefined);
    await messages();
    await vi.advanceTimersByTimeAsync(599);
    expect(log.at(-1)).toBe("run 1");
    await vi.advanceTimersByTimeAsync(1);
    expect(log).toContain("recovering WORKER_HUNG");
    slot.dispose(null);
  });

  it("is not treated as hung while it answers, even if no single run is answered in time", async () => {
    fakeTime();
    const open: (() => void)[] = [];
    const run = () => new Promise<RunReply>((resolve) => open.push(() => resolve(ANSWER)));
    const { slot, log } = await supervise({ run });
    const runs = [1, 2, 3].map((item) => slot.run(job([item], { predictedMs: 2 })));
    await messages();
    for (const [index, answered] of runs.entries()) {
      await vi.advanceTimersByTimeAsync(9000);
      open[index]?.();
      await answered;
    }
    await vi.advanceTimersByTimeAsync(600_000);
    expect([slot.state, log.at(-1)]).toEqual(["ready", "run 3"]);
    slot.dispose(null);
  });

  it("is not treated as hung when the clock jumps or timers fire once a minute", async () => {
    fakeTime();
    const { slot, log } = await supervise({ run: silence });
    void slot.run(job([1], { predictedMs: 2 })).catch(() => undefined);
    await messages();
    // A laptop sleeps for eight hours again and again: each time, one timer is late.
    for (let wake = 0; wake < 10; wake++) {
      vi.setSystemTime(Date.now() + 8 * 3_600_000);
      await vi.advanceTimersToNextTimerAsync();
    }
    expect(log.at(-1)).toBe("run 1");
    slot.dispose(null);
  });
});

describe("restarting", () => {
  it("restores a failed model, with every provider", async () => {
    const loads: Load[] = [() => ready("wasm"), () => failed("wasm"), () => ready("webgpu")];
    const { slot, site, log } = await supervise({ loads });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await expect.poll(() => log.at(-1)).toBe("failed WORKER_CRASHED");
    await slot.restart();
    expect(log.slice(-3)).toEqual(["recovering as asked", "load webgpu,wasm url", "ready"]);
    await expect(slot.run(job([1]))).resolves.toMatchObject({ ok: true });
    slot.dispose(null);
  });

  it("runs the open runs in the new worker, and counts no crash against them", async () => {
    let isStuck = true;
    const { slot, site } = await supervise({ run: () => (isStuck ? silence() : ANSWER) });
    const run = slot.run(job([1], { isStep: true }));
    for (let time = 0; time < 3; time++) {
      await messages();
      isStuck = time < 2;
      await slot.restart();
    }
    await expect(run).resolves.toMatchObject({ ok: true });
    expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([true, true, true, false]);
    slot.dispose(null);
  });

  it("replaces a running recovery", async () => {
    const { slot, site, log } = await supervise({ loads: [() => ready("wasm"), silence, () => ready("wasm")] });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    const run = slot.run(job([1]));
    await expect.poll(() => log.at(-1)).toBe("load wasm url");
    await slot.restart();
    await expect(run).resolves.toMatchObject({ ok: true });
    expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([true, true, false]);
    slot.dispose(null);
  });

  it("rejects with the load error, and can be tried again", async () => {
    const loads: Load[] = [() => ready("wasm"), () => failed("wasm", "MODEL_OFFLINE"), () => ready("wasm")];
    const { slot } = await supervise({ loads });
    await expect(slot.restart()).rejects.toMatchObject({ code: "MODEL_OFFLINE" });
    expect(slot.state).toBe("failed");
    await slot.restart();
    expect(slot.state).toBe("ready");
    slot.dispose(null);
  });
});

describe("disposing", () => {
  it("rejects open and later runs, and a restart, with its error", async () => {
    const { slot, site } = await supervise({ run: silence });
    const run = slot.run(job([1]));
    await Promise.resolve();
    slot.dispose("bye");
    await expect(run).rejects.toBe("bye");
    await expect(slot.run(job([1]))).rejects.toBe("bye");
    await expect(slot.restart()).rejects.toBe("bye");
    await expect.poll(() => site.started[0]?.isTerminated).toBe(true);
  });

  it("ends a running recovery, and rejects the runs that wait for it", async () => {
    const { slot, site, log } = await supervise({ loads: [() => ready("wasm"), silence] });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    const run = slot.run(job([1]));
    await expect.poll(() => log.at(-1)).toBe("load wasm url");
    slot.dispose("bye");
    await expect(run).rejects.toBe("bye");
    await messages();
    expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
    expect(log.at(-1)).toBe("load wasm url");
  });
});

it("ends if the user's own function aborts it while it starts the worker", async () => {
  const log: string[] = [];
  const site = scriptedSite({}, log);
  const stop = new AbortController();
  const start = () => {
    stop.abort("enough");
    return site.start();
  };
  const ignore = () => undefined;
  const unheard = { onState: ignore, onRetiring: () => false, onCompared: ignore, onChecked: ignore };
  const loading = WorkerSlot.start(planAt({ ...site, start }), ["wasm"], stop.signal, unheard);
  await expect(loading).rejects.toBe("enough");
  expect(log).toEqual([]);
});

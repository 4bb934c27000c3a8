import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WorkerClient } from "./worker-client.js";
import type { WorkerListener } from "./worker-life.js";
import type { WorkerSite } from "./worker-site.js";
import { answersOf, buffersIn } from "@framebatch/rows/collate/sent-rows.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { hostTimer, type Timer } from "@framebatch/host/host-timer.js";
import { ManualClock } from "@framebatch/host/test/manual-clock.js";
import { channelSite, hostSite } from "../../../test/support/channel-worker.js";
import { doublingModel } from "../../../test/support/doubling-model.js";
import { messages } from "../../../test/support/messages.js";
import { WebLocks } from "../../../test/support/web-locks.js";
import { LOAD_REQUEST, runOf, scripted, silence, STALL_MS } from "../../../test/support/scripted-plan.js";

const ignore = () => undefined;

/** A worker that reports that it is ready and then never answers. */
const silentSite = () => channelSite(() => scripted({ load: silence, run: silence }));

function open(site: WorkerSite, timer: Timer = hostTimer) {
  const heard: unknown[] = [];
  const listener: WorkerListener = {
    onProgress: ({ phase }) => heard.push(phase),
    onObtained: () => undefined,
    onStored: () => undefined,
    onTimed: (run) => heard.push(run),
    onChecked: (check) => heard.push(check),
    onCompared: (check) => heard.push(check),
    onWarning: (error) => heard.push(error.message),
    onDeath: ({ code }) => heard.push(code),
  };
  return { client: new WorkerClient(site, START_MS, timer, listener), heard };
}

function request(bytes: ArrayBuffer, changes: Partial<LoadRequest> = {}): LoadRequest {
  return {
    ...LOAD_REQUEST,
    location: { blob: new Blob([bytes]), sha256: null },
    externalData: [],
    variants: [],
    providers: ["wasm"],
    ...changes,
  };
}

const NO_ERROR = { name: "", message: "", stack: undefined, code: undefined, details: {}, cause: undefined } as const;

/** The time limit of one step of a worker's start, in milliseconds. */
const START_MS = 60_000;

const RUN = { timeoutMs: STALL_MS, isDivided: false };

describe("both halves over a channel", () => {
  it("loads a model, runs it, and moves large buffers instead of copying them", async () => {
    const { client, heard } = open(hostSite());
    await client.ready();
    const loaded = await client.load(request(doublingModel()));
    expect(loaded).toMatchObject({
      outcome: "ready",
      trials: [{ provider: "wasm", chosen: true, reason: "onnxruntime-web/wasm" }],
      model: {
        provider: "wasm",
        adapter: null,
        modelBytes: 87,
        fromCache: false,
        signature: { fixedBatch: null },
        timings: expect.arrayContaining([{ size: 1, volume: 16, ms: expect.any(Number) }]),
      },
    });
    const pairs = runOf([1, 2, 3, 4], 2);
    const reply = await client.run(pairs, buffersIn(pairs.rows), RUN);
    expect(reply).toMatchObject({ ok: true, reply: { outputs: { y: { type: "float32", dims: [2, 2] } } } });
    const answers = reply.ok && "outputs" in reply.reply ? answersOf(reply.reply.outputs, 2) : [];
    expect(answers.map(({ y }) => y?.data)).toEqual([Float32Array.of(2, 4), Float32Array.of(6, 8)]);
    expect(pairs.rows.columns[0]?.length).toBe(4);
    const long = runOf(Array.from({ length: 256 }, Number), 128);
    await client.run(long, buffersIn(long.rows), RUN);
    expect(long.rows.columns[0]?.length).toBe(0);
    expect(heard).toEqual(["runtime", "compile", "warmup"]);
    client.terminate(null);
  });

  it("are of one version, or the page refuses the worker", async () => {
    const site = channelSite((worker) => {
      worker.say({ notice: "ready", version: "9.9.9" });
      return null;
    });
    const { client, heard } = open(site);
    await expect(client.ready()).rejects.toMatchObject({
      code: "WORKER_LOAD_FAILED",
      message: expect.stringMatching(/to start, got framebatch 9\.9\.9, not \d.*; fix the test$/),
    });
    expect(heard).toEqual(["WORKER_LOAD_FAILED"]);
    expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([true]);
  });

  it("runs nothing on WASM without a warm-up", async () => {
    const { client } = open(hostSite());
    await client.ready();
    const loaded = await client.load(request(doublingModel(), { warmup: false }));
    expect(loaded).toMatchObject({ outcome: "ready", model: { timings: [] } });
    client.terminate(null);
  });

  it("transfers the code and the cause of a failed load", async () => {
    const { client } = open(hostSite());
    await client.ready();
    const reply = await client.load(request(new TextEncoder().encode("no model").buffer));
    expect(reply).toMatchObject({ outcome: "failed", error: { code: "MODEL_INVALID", cause: { name: "Error" } } });
    client.terminate(null);
  });

  it("runs the next batch after a failed run", async () => {
    const { client } = open(hostSite());
    await client.ready();
    await client.load(request(doublingModel()));
    const tooLarge = await client.run({ ...runOf([1], 1), paddedSize: 2 ** 40 }, [], RUN);
    expect(tooLarge).toMatchObject({ ok: false, error: { code: "OUT_OF_MEMORY" } });
    const { ok } = await client.run(runOf([1, 2, 3, 4], 2), [], RUN);
    expect(ok).toBe(true);
    client.terminate(null);
  });
});

describe("the crash of a worker", () => {
  it("rejects the open calls, and notifies the owner once", async () => {
    const site = silentSite();
    const { client, heard } = open(site);
    await client.ready();
    const calls = [client.load(request(doublingModel())), client.run(runOf([1]), [], RUN)];
    site.started[0]?.fail("boom");
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: "WORKER_CRASHED" });
    site.started[0]?.fail("again");
    expect(heard).toEqual(["WORKER_CRASHED"]);
    await expect.poll(() => site.started[0]?.isTerminated).toBe(true);
  });

  it("rejects later calls with the same reason", async () => {
    const { client } = open(silentSite());
    await client.ready();
    client.terminate("gone");
    await expect(client.run(runOf([1]), [], RUN)).rejects.toBe("gone");
  });

  it("is reported by the worker itself when its device is lost", async () => {
    const site = silentSite();
    const { client, heard } = open(site);
    await client.ready();
    const run = client.run(runOf([1]), [], RUN);
    const error = {
      name: "",
      message: "",
      stack: undefined,
      code: "DEVICE_LOST",
      details: {},
      cause: undefined,
    } as const;
    site.started[0]?.say({ notice: "lost", error });
    await expect(run).rejects.toMatchObject({ code: "DEVICE_LOST" });
    expect(heard).toEqual(["DEVICE_LOST"]);
  });

  it("rejects a run whose reply is fatal", async () => {
    const error = {
      name: "",
      message: "",
      stack: undefined,
      code: "DEVICE_LOST",
      details: {},
      cause: undefined,
    } as const;
    const { client, heard } = open(
      channelSite(() => scripted({ load: silence, run: async () => ({ ok: false, fatal: true, error }) })),
    );
    await client.ready();
    await expect(client.run(runOf([1]), [], RUN)).rejects.toMatchObject({ code: "DEVICE_LOST" });
    expect(heard).toEqual(["DEVICE_LOST"]);
  });
});

describe("a worker that is certain to be gone", () => {
  /** A worker that has borrowed rows, and whose lock the test releases. */
  async function borrowing() {
    const locks = new WebLocks();
    vi.stubGlobal("navigator", { locks });
    onTestFinished(() => void vi.unstubAllGlobals());
    void locks.request("lifeline", silence);
    const clock = new ManualClock();
    const site = silentSite();
    const { client, heard } = open(site, clock);
    await client.ready();
    site.started[0]?.say({ notice: "alive", lock: "lifeline" });
    let lent: Promise<unknown> = Promise.resolve("nothing was lent");
    client.run(runOf([1]), [], RUN, (reply) => void (lent = reply)).catch(() => undefined);
    const log: unknown[] = heard;
    lent.catch(() => log.push("lost"));
    const ends = async () => {
      locks.drop("lifeline");
      await messages();
      clock.advanceTo(clock.now() + 50);
      await messages();
    };
    await messages();
    return { client, log, worker: site.started[0], ends };
  }

  it("is given no time to return what it has borrowed", async () => {
    const { log, worker, ends } = await borrowing();
    await ends();
    expect(log).toEqual(["WORKER_CRASHED", "lost"]);
    expect(worker?.isTerminated).toBe(true);
  });

  it("is given none either if its owner has ended it before", async () => {
    const { client, log, worker, ends } = await borrowing();
    client.retire("not needed");
    await messages();
    expect([log, worker?.isTerminated]).toEqual([[], false]);
    await ends();
    expect([log, worker?.isTerminated]).toEqual([["lost"], true]);
  });
});

describe("the termination of a worker", () => {
  /** A worker that loads, and does not say when it has shut down. */
  async function loading() {
    const site = channelSite(() => scripted({ load: silence, run: silence }), ignore);
    const { client, heard } = open(site);
    await client.ready();
    const load = client.load(request(doublingModel())).catch((error: unknown) => error);
    await messages();
    return { client, heard, load, worker: site.started[0] };
  }

  it("lets a worker that loads finish what it must, and ignores its other notices", async () => {
    const { client, heard, load, worker } = await loading();
    client.terminate("disposed of");
    expect(await load).toBe("disposed of");
    expect(worker?.isTerminated).toBe(false);
    worker?.say({ notice: "lost", error: NO_ERROR });
    worker?.say({ notice: "shutDown" });
    await vi.waitFor(() => expect(worker?.isTerminated).toBe(true), { timeout: 60_000 });
    expect(heard).toEqual([]);
  });

  it.each([
    ["half a second", null, 500],
    ["ten seconds if it says that it compiles ONNX Runtime", { notice: "compiling" } as const, 10_000],
  ])("waits for at most %s", async (_what, said, limitMs) => {
    const { client, worker } = await loading();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      client.terminate(null);
      client.terminate("once more");
      if (said !== null) worker?.say(said);
      await messages();
      await vi.advanceTimersByTimeAsync(limitMs - 1);
      expect(worker?.isTerminated).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(worker?.isTerminated).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a worker that does not start", () => {
  it("fails with WORKER_LOAD_FAILED if the browser rejects its address", () => {
    const site: WorkerSite = {
      script: "https://elsewhere.example/worker.js",
      fix: "fix the test",
      start: () => {
        throw new DOMException("not here", "SecurityError");
      },
    };
    expect(() => open(site)).toThrow(expect.objectContaining({ code: "WORKER_LOAD_FAILED" }));
    expect(() => open(site)).toThrow(/elsewhere\.example\/worker\.js.*SecurityError: not here/);
  });

  it("fails with WORKER_LOAD_FAILED if its script is missing", async () => {
    const site = channelSite(() => null);
    const { client } = open(site);
    const starting = client.ready();
    site.started[0]?.fail();
    await expect(starting).rejects.toMatchObject({
      code: "WORKER_LOAD_FAILED",
      message: expect.stringMatching(/option worker.*fix the test/),
    });
  });

  it("fails with WORKER_LOAD_FAILED if it never reports that it is ready", async () => {
    vi.useFakeTimers();
    try {
      const { client } = open(channelSite(() => null));
      const failing = expect(client.ready()).rejects.toMatchObject({ code: "WORKER_LOAD_FAILED" });
      await vi.advanceTimersByTimeAsync(1.2 * START_MS);
      await failing;
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not count as a stalled download while it compiles, and is terminated after a minute without notices", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
    try {
      const site = silentSite();
      const { client, heard } = open(site);
      await client.ready();
      const loading = client.load(request(doublingModel(), { stallTimeoutMs: 100 }));
      const end = loading.then(
        () => "loaded",
        (error: unknown) => error,
      );
      site.started[0]?.say({ notice: "progress", provider: "wasm", phase: "compile", loadedBytes: 1, totalBytes: 1 });
      await vi.waitFor(() => expect(heard).toEqual(["compile"]), { timeout: 60_000 });
      await vi.advanceTimersByTimeAsync(START_MS - 1);
      expect(client.hasEnded).toBe(false);
      await vi.advanceTimersByTimeAsync(0.2 * START_MS + 1);
      expect(await end).toMatchObject({ code: "RUNTIME_LOAD_FAILED", message: expect.stringContaining("60000 ms") });
    } finally {
      vi.useRealTimers();
    }
  });
});

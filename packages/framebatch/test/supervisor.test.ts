import { describe, expect, it } from "vitest";
import type { LoadPlan } from "../src/client/model-session.js";
import { Supervisor } from "../src/client/supervisor.js";
import type { ErrorCode } from "../src/core/errors.js";
import type { LoadReply, LoadRequest, Provider, RunReply } from "../src/core/protocol.js";
import { channelSite, type ChannelWorker } from "./support/channel-worker.js";

const STALL_MS = 10_000;

function errorData(code: ErrorCode) {
  return { name: "FramebatchError", message: code, stack: undefined, code, details: {}, cause: undefined } as const;
}

function ready(provider: Provider): LoadReply {
  const signature = { inputs: [], outputs: [], fixedBatch: null };
  const padding = { extents: [], paddedCount: 0, inputs: [], extentBySymbol: new Map() };
  const model = { signature, padding, provider, adapter: null, modelBytes: 1, fromCache: false, timings: [] };
  return { outcome: "ready", trials: [{ provider, chosen: true, reason: "" }], model };
}

function failed(provider: Provider, code: ErrorCode = "UNSUPPORTED"): LoadReply {
  return { outcome: "failed", trials: [{ provider, chosen: false, reason: "no" }], error: errorData(code) };
}

function spent(provider: Provider): LoadReply {
  const bytes = new TextEncoder().encode("model").buffer;
  return { outcome: "spent", trials: [{ provider, chosen: false, reason: "no f16" }], bytes, fromCache: true };
}

const answer: RunReply = { ok: true, outputs: {}, inferenceMs: 1 };

type Load = (request: LoadRequest, worker: ChannelWorker) => LoadReply | Promise<LoadReply>;
type Run = (worker: ChannelWorker) => RunReply | Promise<RunReply>;

/** Starts a supervisor over workers that load and run as told, the n-th as the n-th of `loads`, and logs what happens. */
async function supervise(loads: Load[], run: Run = () => answer, providers: Provider[] = ["webgpu", "wasm"]) {
  const log: string[] = [];
  const site = channelSite((worker) => {
    const load = loads[Math.min(site.started.length, loads.length) - 1] ?? (() => failed("wasm"));
    return {
      load: async (request) => {
        log.push(`load ${request.providers.join()} ${"url" in request.location ? "url" : "bytes"}`);
        return load(request, worker);
      },
      run: async () => run(worker),
    };
  });
  const plan: LoadPlan = {
    source: { url: "https://example.com/model.onnx" },
    site,
    request: {
      batchAxis: {},
      padding: {},
      cache: true,
      integrity: null,
      warmup: true,
      maxBatchSize: 64,
      sessionOptions: {},
      wasmPaths: null,
      numThreads: 1,
      stallTimeoutMs: STALL_MS,
    },
    onProgress: () => {},
    onWarning: () => {},
  };
  const supervisor = await Supervisor.start(plan, providers, new AbortController().signal, {
    onRecovering: ({ code }) => log.push(`recovering ${code}`),
    onReady: () => log.push("ready"),
    onFailed: ({ code }) => log.push(`failed ${code}`),
  });
  return { supervisor, site, log };
}

const feeds = () => ({});

describe("loading", () => {
  it("tries the providers that are left in a new worker, with the bytes that it has", async () => {
    const { supervisor, site, log } = await supervise([() => spent("webgpu"), () => ready("wasm")]);
    expect(log).toEqual(["load webgpu,wasm url", "load wasm bytes"]);
    expect(site.started.map(({ isTerminated }) => isTerminated)).toEqual([true, false]);
    expect(supervisor.session.trials).toEqual([
      { provider: "webgpu", chosen: false, reason: "no f16" },
      { provider: "wasm", chosen: true, reason: "" },
    ]);
    expect(supervisor.session.model.fromCache).toBe(true);
    supervisor.dispose(null);
  });

  it("goes on without a provider that takes its worker down", async () => {
    const crash: Load = (_request, worker) => {
      worker.say({ notice: "progress", phase: "compile", provider: "webgpu", loadedBytes: 1, totalBytes: 1 });
      worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
      return new Promise(() => {});
    };
    const { supervisor, log } = await supervise([crash, () => ready("wasm")]);
    expect(log).toEqual(["load webgpu,wasm url", "load wasm url"]);
    expect(supervisor.session.trials[0]).toEqual({ provider: "webgpu", chosen: false, reason: "WORKER_CRASHED" });
    supervisor.dispose(null);
  });

  it("rejects with the last error, and names what was tried before", async () => {
    const refused = supervise([() => spent("webgpu"), () => failed("wasm")]);
    await expect(refused).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: "UNSUPPORTED (tried before: webgpu: no f16)",
    });
  });
});

describe("recovery", () => {
  it("runs what was in flight again, once, on a new worker", async () => {
    let runs = 0;
    const { supervisor, site, log } = await supervise([() => ready("wasm")], (worker) => {
      runs += 1;
      if (runs === 1) worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
      return runs === 1 ? new Promise(() => {}) : answer;
    });
    await expect(supervisor.run(feeds)).resolves.toMatchObject({ ok: true });
    expect(runs).toBe(2);
    expect(site.started).toHaveLength(2);
    expect(log.slice(1)).toEqual(["recovering WORKER_CRASHED", "load wasm url", "ready"]);
    supervisor.dispose(null);
  });

  it("gives up on a run that takes down a second worker", async () => {
    const { supervisor, log } = await supervise([() => ready("wasm")], (worker) => {
      worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
      return new Promise(() => {});
    });
    await expect(supervisor.run(feeds)).rejects.toMatchObject({ code: "WORKER_CRASHED" });
    expect(log.filter((entry) => entry.startsWith("recovering"))).toHaveLength(2);
    supervisor.dispose(null);
  });

  it("trusts the GPU once more, and then takes WASM", async () => {
    const { supervisor, site, log } = await supervise([({ providers }) => ready(providers[0] ?? "wasm")]);
    for (const generation of [0, 1]) {
      site.started[generation]?.say({ notice: "lost", error: errorData("DEVICE_LOST") });
      await expect.poll(() => log.filter((entry) => entry === "ready").length).toBe(generation + 1);
    }
    expect(log.filter((entry) => entry.startsWith("load"))).toEqual([
      "load webgpu,wasm url",
      "load webgpu,wasm url",
      "load wasm url",
    ]);
    supervisor.dispose(null);
  });

  it("fails for good where the model cannot be loaded again, and says why to those who wait", async () => {
    const { supervisor, site, log } = await supervise([() => ready("wasm"), () => failed("wasm", "MODEL_NETWORK")]);
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await expect.poll(() => log).toContain("failed WORKER_CRASHED");
    expect(supervisor.hasFailed).toBe(true);
    await expect(supervisor.run(feeds)).rejects.toMatchObject({
      code: "WORKER_CRASHED",
      cause: { code: "MODEL_NETWORK" },
    });
  });

  it("does not restart for ever a worker that never lives to answer", async () => {
    const dying: Load = (_request, worker) => {
      // A task later, so that the reply is there first.
      setTimeout(() => worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") }));
      return ready("wasm");
    };
    const { site, log } = await supervise([dying]);
    await expect.poll(() => log.at(-1), { timeout: 5000 }).toBe("failed WORKER_CRASHED");
    expect(site.started.length).toBeLessThanOrEqual(5);
  });

  it("ends with dispose: open and later runs reject with its error", async () => {
    const { supervisor, site } = await supervise([() => ready("wasm")], () => new Promise(() => {}));
    const run = supervisor.run(feeds);
    await Promise.resolve();
    supervisor.dispose("bye");
    await expect(run).rejects.toBe("bye");
    await expect(supervisor.run(feeds)).rejects.toBe("bye");
    expect(site.started[0]?.isTerminated).toBe(true);
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import type { Run } from "./pending-runs.js";
import { WorkerPool } from "./worker-pool.js";
import type { LoadReply, LoadRequest, RunReply } from "../../transport/protocol.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { ChannelWorker } from "../../../test/support/channel-worker.js";
import {
  ANSWER,
  errorData,
  failed,
  planAt,
  ready,
  scriptedSite,
  silence,
  runBy,
  runOf,
} from "../../../test/support/scripted-plan.js";

const TWO_THREADS = { provider: "wasm", numThreads: 2 } as const;

interface Scene {
  readonly loads?: readonly ((request: LoadRequest) => LoadReply | Promise<LoadReply>)[];
  readonly run?: (items: readonly number[], worker: ChannelWorker) => RunReply | Promise<RunReply>;
  readonly providers?: readonly ExecutionProvider[];
}

/** Loads in the way that is asked for. */
function asAsked({ providers, numThreads }: LoadRequest): LoadReply {
  return ready(providers[0]!, { numThreads: numThreads ?? 1 });
}

/** A pool of one worker, with one thread at first, and its log. */
async function open({ loads = [asAsked], run = () => ANSWER, providers = ["wasm"] }: Scene = {}) {
  const log: string[] = [];
  const site = scriptedSite({ loads, run: (items, worker) => run(items, worker) }, log);
  const pool = await WorkerPool.start(planAt(site), providers, 1, new AbortController().signal);
  pool.listen({
    onWay: ({ provider, numThreads }, why) => log.push(`${provider} with ${numThreads}: ${why}`),
    onVerdict: () => undefined,
    onRetiring: () => false,
    onLoss: ({ code }) => log.push(`lost ${code}`),
    onState: (state) => log.push(state),
  });
  onTestFinished(() => pool.dispose(null));
  const ended = () => site.started.map(({ isTerminated }) => isTerminated);
  return { pool, log, ended };
}

function job(item: number): Run {
  return runBy((client, run) => client.run(runOf([item]), [], run));
}

/** A reply that comes when the test says so. */
function held() {
  let answer: (reply: RunReply) => void = () => undefined;
  const reply = new Promise<RunReply>((resolve) => (answer = resolve));
  return { reply, answer: () => answer(ANSWER) };
}

/** A load that ends when the test says so. */
function heldLoad() {
  let end: (reply: LoadReply) => void = () => undefined;
  const reply = new Promise<LoadReply>((resolve) => (end = resolve));
  return { reply, end: (how: LoadReply) => end(how) };
}

function die(worker: ChannelWorker): Promise<never> {
  worker.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
  return silence();
}

describe("a model that changes its way to run", () => {
  it("ends runs in flight where they are, and sends later ones to the new worker", async () => {
    const first = held();
    const { pool, log, ended } = await open({ run: ([item]) => (item === 1 ? first.reply : ANSWER) });
    const running = pool.run(job(1));
    await pool.changeWay(TWO_THREADS, "1.40 times as fast");
    expect(await pool.run(job(2))).toMatchObject({ ok: true });
    expect(ended()).toEqual([false, false]);
    first.answer();
    expect(await running).toMatchObject({ ok: true });
    await expect.poll(ended).toEqual([true, false]);
    expect(log).toEqual(["load wasm url", "run 1", "load wasm url", "wasm with 2: 1.40 times as fast", "run 2"]);
  });

  it("stays on its own way if no worker of the other one can load the model", async () => {
    const { pool, log, ended } = await open({ loads: [asAsked, () => failed("wasm")] });
    await pool.changeWay(TWO_THREADS, "1.40 times as fast");
    expect(await pool.run(job(1))).toMatchObject({ ok: true });
    await expect.poll(ended).toEqual([false, true]);
    expect(log).toEqual(["load wasm url", "load wasm url", "run 1"]);
  });

  it("repeats on the new worker what the old one has not answered when it dies", async () => {
    let old: ChannelWorker | null = null;
    const { pool, log } = await open({
      run: (_items, worker) => {
        if (old !== null) return ANSWER;
        old = worker;
        return silence();
      },
    });
    const running = pool.run(job(1));
    await expect.poll(() => old).not.toBeNull();
    await pool.changeWay(TWO_THREADS, "1.40 times as fast");
    void die(old!);
    expect(await running).toMatchObject({ ok: true });
    expect(log.slice(-2)).toEqual(["wasm with 2: 1.40 times as fast", "run 1"]);
    expect(pool.state).toBe("ready");
  });

  it("rejects the last runs of the old worker when it is disposed of", async () => {
    const { pool, ended } = await open({ run: () => silence() });
    const running = expect(pool.run(job(1))).rejects.toThrow("disposed");
    await pool.changeWay(TWO_THREADS, "1.40 times as fast");
    pool.dispose(new Error("disposed"));
    await running;
    await expect.poll(ended).toEqual([true, true]);
  });

  it("stays on the new way when its worker is lost", async () => {
    const { pool, log } = await open({ run: ([item], worker) => (item === 13 ? die(worker) : ANSWER) });
    await pool.changeWay(TWO_THREADS, "1.40 times as fast");
    expect(await pool.run({ ...job(13), size: 2 })).toMatchObject({ ok: false });
    expect(pool.session.model.numThreads).toBe(2);
    expect(log.filter((entry) => entry.includes("with"))).toEqual(["wasm with 2: 1.40 times as fast"]);
  });

  it.each([
    { to: TWO_THREADS, asked: "load wasm,webgpu url" },
    { to: { provider: "webgpu", numThreads: 1 }, asked: "load webgpu,wasm url" },
  ] as const)("stays on the new way when it is restarted: $to.provider", async ({ to, asked }) => {
    const loads = [() => ready(to.provider === "wasm" ? "webgpu" : "wasm"), asAsked];
    const { pool, log } = await open({ providers: ["webgpu", "wasm"], loads });
    await pool.changeWay(to, "1.40 times as fast");
    await pool.restart();
    expect(log.filter((entry) => entry.startsWith("load")).at(-1)).toBe(asked);
    expect(pool.session.model).toMatchObject(to);
  });

  it("never returns to a provider that it has left because its answers are wrong", async () => {
    const { pool, log } = await open({ providers: ["webgpu", "wasm"], loads: [asAsked, () => ready("wasm"), asAsked] });
    await pool.changeWay({ provider: "wasm", numThreads: 1 }, "its answers differ", "webgpu");
    await pool.restart();
    expect(log.filter((entry) => entry.startsWith("load"))).toEqual([
      "load webgpu,wasm url",
      "load wasm url",
      "load wasm url",
    ]);
  });

  it.each<readonly [string, (pool: WorkerPool) => Promise<unknown>]>([
    ["is lost", (pool) => pool.run(job(13)).catch(() => undefined)],
    ["is restarted", (pool) => pool.restart()],
    ["is unloaded", (pool) => pool.unload().then(() => pool.restart())],
  ])("does not return to wrong answers if its worker %s before the other one is ready", async (_, interrupt) => {
    const other = heldLoad();
    const { pool, log } = await open({
      providers: ["webgpu", "wasm"],
      loads: [asAsked, () => other.reply, asAsked],
      run: ([item], worker) => (item === 13 && log.length < 4 ? die(worker) : ANSWER),
    });
    const change = pool.changeWay({ provider: "wasm", numThreads: 1 }, "its answers differ", "webgpu");
    await expect.poll(() => log.length).toBe(2);
    await interrupt(pool);
    other.end(ready("wasm"));
    await change;
    await expect.poll(() => pool.state).toBe("ready");
    expect(pool.session.model.provider).toBe("wasm");
    expect(log.filter((entry) => entry.startsWith("load")).slice(1)).not.toContain("load webgpu,wasm url");
  });

  it("leaves wrong answers also if its worker was being replaced when they were found", async () => {
    const again = heldLoad();
    const { pool, log } = await open({
      providers: ["webgpu", "wasm"],
      loads: [asAsked, () => again.reply, asAsked],
      run: ([item], worker) => (item === 13 && log.length < 4 ? die(worker) : ANSWER),
    });
    const running = pool.run(job(13));
    await expect.poll(() => log.filter((entry) => entry.startsWith("load"))).toHaveLength(2);
    const change = pool.changeWay({ provider: "wasm", numThreads: 1 }, "its answers differ", "webgpu");
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    again.end(ready("webgpu"));
    expect(await change).toBe(true);
    expect(await running).toMatchObject({ ok: true });
    expect(pool.session.model.provider).toBe("wasm");
  });

  it("drops the other worker if its own is lost before that one is ready", async () => {
    const other = heldLoad();
    const { pool, log, ended } = await open({
      loads: [asAsked, () => other.reply, asAsked],
      run: ([item], worker) => (item === 13 ? die(worker) : ANSWER),
    });
    const change = pool.changeWay(TWO_THREADS, "1.40 times as fast");
    const running = pool.run(job(13));
    await expect.poll(() => log).toContain("lost WORKER_CRASHED");
    other.end(ready("wasm", { numThreads: 2 }));
    await Promise.all([change, running]);
    expect(ended()[1]).toBe(true);
    expect(pool.session.model.numThreads).toBe(1);
  });

  it("tells of a provider that recovery has left", async () => {
    const log: string[] = [];
    const loads = [asAsked, asAsked, asAsked];
    const site = scriptedSite({ loads, run: ([item], worker) => (item === 13 ? die(worker) : ANSWER) }, log);
    const pool = await WorkerPool.start(planAt(site), ["webgpu", "wasm"], 1, new AbortController().signal);
    onTestFinished(() => pool.dispose(null));
    const ways: string[] = [];
    pool.listen({
      onWay: ({ provider }) => ways.push(provider),
      onVerdict: () => undefined,
      onRetiring: () => false,
      onLoss: () => undefined,
      onState: () => undefined,
    });
    await pool.run({ ...job(13), size: 2 });
    await expect.poll(() => ways).toEqual(["wasm"]);
  });
});

import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import type { LoadReply, LoadRequest } from "../../transport/protocol.js";
import type { ChannelWorker } from "../../../test/support/channel-worker.js";
import { planAt, ready, scriptedSite } from "../../../test/support/scripted-plan.js";
import { WorkerPool } from "./worker-pool.js";

afterEach(() => void vi.unstubAllGlobals());

const PENDING = { outcome: "inconclusive", reason: "no time to check", fromCache: false } as const;
const FAILED = { outcome: "failed", reason: "the rows mix", fromCache: false } as const;

it("every worker leaves a provider whose batches fail the check, also one that was still starting", async () => {
  let end: (reply: LoadReply) => void = () => undefined;
  const slow = new Promise<LoadReply>((resolve) => (end = resolve));
  const onGpu = () => ready("webgpu", { batchCheck: PENDING });
  const asAsked = ({ providers }: LoadRequest) => ready(providers[0]!, { batchCheck: PENDING });
  let first: ChannelWorker | null = null;
  const log: string[] = [];
  const loads = [(_: LoadRequest, worker: ChannelWorker) => ((first = worker), onGpu()), () => slow, asAsked];
  const starting = WorkerPool.start(
    planAt(scriptedSite({ loads }, log)),
    ["webgpu", "wasm"],
    2,
    new AbortController().signal,
  );
  await expect.poll(() => log).toHaveLength(2);
  first!.say({ notice: "checked", check: FAILED });
  await expect.poll(() => log).toHaveLength(3);
  end(onGpu());
  const pool = await starting;
  onTestFinished(() => pool.dispose(null));
  await expect.poll(() => pool.slots.map(({ session }) => session.model.provider)).toEqual(["wasm", "wasm"]);
});

it("does not wait for the code of shared memory, which may never arrive", async () => {
  vi.stubGlobal("crossOriginIsolated", true);
  const site = scriptedSite({ loads: [() => ready("wasm")] }, []);
  const plan = { ...planAt(site), loadMemory: () => new Promise<never>(() => undefined) };
  const pool = await WorkerPool.start(plan, ["wasm"], 1, new AbortController().signal);
  onTestFinished(() => pool.dispose(null));
  expect(pool.state).toBe("ready");
});

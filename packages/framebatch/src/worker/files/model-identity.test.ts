import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PinnedFiles } from "../../client/workers/pinned-files.js";
import { WorkerPool } from "../../client/workers/worker-pool.js";
import { WorkerSlot } from "../../client/workers/worker-slot.js";
import { answersOf } from "@framebatch/rows/collate/sent-rows.js";
import type { LoadRequest } from "../../transport/protocol.js";
import { until } from "@framebatch/host/test/settling.js";
import { stubIdb } from "../../../test/support/fake-idb.js";
import { hostSite, type ChannelWorker } from "../../../test/support/channel-worker.js";
import { Deployment } from "../../../test/support/deployment.js";
import { doublingModel, squaringModel } from "../../../test/support/doubling-model.js";
import {
  errorData,
  MODEL_URL,
  planAt,
  ready,
  runBy,
  runOf,
  scriptedSite,
} from "../../../test/support/scripted-plan.js";

let server = new Deployment();

beforeEach(async () => {
  server = new Deployment();
  await server.open();
});

afterEach(() => {
  server.close();
  vi.unstubAllGlobals();
});

async function open(instances = 1): Promise<WorkerPool> {
  const plan = planAt(hostSite(), null, server.url);
  return WorkerPool.start(plan, ["wasm"], instances, new AbortController().signal);
}

/** Returns the model's result for 3: 6 from the first version, 9 from the second. */
async function answer(slot: WorkerSlot): Promise<unknown> {
  const result = await slot.run(runBy((client, run) => client.run(runOf([3], 1), [], run)));
  return result.ok && "outputs" in result.reply ? answersOf(result.reply.outputs, 1)[0]?.["y"]?.data[0] : result;
}

describe("a model without a cache", () => {
  it("defect 4: never changes to another model in a restart, and names the fix", async () => {
    const pool = await open();
    const heard: string[] = [];
    pool.listen({
      onLoss: ({ code }) => heard.push(`error ${code}`),
      onState: (state) => heard.push(state),
      onVerdict: () => undefined,
      onRetiring: () => false,
      onWay: () => undefined,
    });
    server.deploy(squaringModel());
    await expect(pool.restart()).rejects.toMatchObject({
      code: "MODEL_INTEGRITY",
      message: expect.stringMatching(/sha256-.* first loaded with .*sha256-.*create the model anew/),
    });
    expect(heard).toEqual(["recovering", "error MODEL_INTEGRITY", "failed"]);
    server.deploy(doublingModel());
    await pool.restart();
    expect(await answer(pool.slots[0]!)).toBe(6);
    pool.dispose(null);
  });

  it("fails with the server's status if its address is gone", async () => {
    const pool = await open();
    server.deploy(null);
    await expect(pool.restart()).rejects.toMatchObject({ code: "MODEL_STATUS" });
    pool.dispose(null);
  });

  it("is kept in memory if no digest can be computed, and is not downloaded again", async () => {
    vi.stubGlobal("crypto", {});
    const pool = await open();
    server.deploy(squaringModel());
    await pool.restart();
    expect(await answer(pool.slots[0]!)).toBe(6);
    expect(server.asked).toBe(0);
    pool.dispose(null);
  });

  it("is downloaded once for all instances, so that a deploy cannot mix versions", async () => {
    const pool = await open(3);
    expect(server.asked).toBe(1);
    for (const slot of pool.slots) expect(await answer(slot)).toBe(6);
    pool.dispose(null);
  });
});

describe("a model with a cache", () => {
  it("is not downloaded again by a restart during the write to the cache, and is stored by the next worker", async () => {
    const stores = stubIdb();
    const writes: (() => void)[] = [];
    const estimate = () => new Promise((resolve) => writes.push(() => resolve({ quota: 1e9 })));
    vi.stubGlobal("isSecureContext", true);
    vi.stubGlobal("navigator", { storage: { estimate } });
    const plan = planAt(hostSite(), null, server.url);
    const request = { ...plan.request, cache: true };
    const pool = await WorkerPool.start({ ...plan, request }, ["wasm"], 1, new AbortController().signal);
    server.deploy(squaringModel());
    for (const _ of [1, 2]) {
      await pool.restart();
      expect(await answer(pool.slots[0]!)).toBe(6);
      expect(plan.files.locate().location).toHaveProperty("blob");
    }
    await until(() => writes.length === 3);
    writes[2]!();
    await until(() => "url" in plan.files.locate().location);
    expect([...stores["manifests"]!.keys(), ...stores["bytes"]!.keys()]).toHaveLength(2);
    await pool.restart();
    expect(await answer(pool.slots[0]!)).toBe(6);
    expect(server.asked).toBe(0);
    pool.dispose(null);
  });
});

describe("the files of a model", () => {
  const obtained = (sha256: string, blob: Blob | null = null) => ({ sha256, blob });

  it("are pinned by the first worker that obtains them, each by its own digest", async () => {
    const weights = { path: "weights.data", source: { url: "https://example.com/weights.data" }, integrity: null };
    const files = new PinnedFiles({ url: MODEL_URL }, [weights]);
    expect(files.locate().location).toEqual({ url: MODEL_URL, pinned: null });
    files.pin([obtained("model"), obtained("weights")]);
    files.pin([obtained("other"), obtained("others")]);
    expect(files.locate()).toEqual({
      location: { url: MODEL_URL, pinned: "model" },
      variants: [],
      externalData: [
        { path: "weights.data", integrity: null, location: { url: weights.source.url, pinned: "weights" } },
      ],
    });
  });

  it("are kept until all workers have started, and permanently if their address is temporary", async () => {
    for (const [url, lasts] of [
      [MODEL_URL, true],
      ["blob:https://example.com/1", false],
    ] as const) {
      const files = new PinnedFiles({ url }, []);
      files.pin([obtained("model", new Blob(["model"]))]);
      files.stored();
      expect(files.locate().location).toHaveProperty("blob");
      files.release();
      expect("blob" in files.locate().location).toBe(!lasts);
    }
  });

  it("defect 5: are requested by digest after a worker crash, as soon as the first worker has obtained them", async () => {
    const asked: LoadRequest["location"][] = [];
    const obtain = (worker: ChannelWorker) => worker.say({ notice: "obtained", files: [obtained("first")] });
    const site = scriptedSite(
      {
        loads: [
          ({ location }, worker) => {
            asked.push(location);
            obtain(worker);
            return ready("wasm");
          },
        ],
      },
      [],
    );
    const states: string[] = [];
    const slot = await WorkerSlot.start(planAt(site), ["wasm"], new AbortController().signal, {
      onState: (state) => states.push(state),
      onChecked: () => undefined,
      onCompared: () => undefined,
      onRetiring: () => false,
    });
    site.started[0]?.say({ notice: "lost", error: errorData("WORKER_CRASHED") });
    await vi.waitFor(() => expect(states).toEqual(["opening", "ready"]), { timeout: 60_000 });
    expect(asked).toEqual([
      { url: MODEL_URL, pinned: null },
      { url: MODEL_URL, pinned: "first" },
    ]);
    slot.dispose(null);
  });
});

describe("the progress of several instances", () => {
  it("defect 23: is the progress of the first, and never decreases", async () => {
    const site = scriptedSite(
      {
        loads: [
          ({ location }, worker) => {
            for (const loadedBytes of "url" in location ? [0, 50, 100] : [0]) {
              worker.say({ notice: "progress", provider: null, phase: "download", loadedBytes, totalBytes: 100 });
            }
            return ready("wasm");
          },
        ],
      },
      [],
    );
    const seen: number[] = [];
    const plan = { ...planAt(site), onProgress: ({ loadedBytes }: { loadedBytes: number }) => seen.push(loadedBytes) };
    const pool = await WorkerPool.start(plan, ["wasm"], 3, new AbortController().signal);
    expect(seen).toEqual([0, 50, 100]);
    await pool.restart();
    expect(seen).toEqual([0, 50, 100]);
    pool.dispose(null);
  });
});

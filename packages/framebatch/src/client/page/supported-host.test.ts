import { describe, expect, it, vi } from "vitest";
import { createBatchedModel } from "../api/packaged.js";
import { createModelHub } from "../api/packaged-hub.js";
import { holdIfFree } from "@framebatch/host/page.js";
import { createSteadyClock } from "../workers/steady-clock.js";
import { channelSite } from "../../../test/support/channel-worker.js";

describe("an environment without a browser", () => {
  it("rejects a model with one error that states the requirements", async () => {
    await expect(createBatchedModel("/model.onnx")).rejects.toMatchObject({
      name: "FramebatchError",
      code: "UNSUPPORTED",
      message:
        "expected a page or a dedicated worker of a browser with Web Workers, got no browser; create the model there",
    });
  });

  it("lets a module register models of a hub, also at addresses of the page, and rejects only their loads", async () => {
    const hub = createModelHub();
    const sources = { relative: "/model.onnx", absolute: "https://page.example/model.onnx", bytes: new Uint8Array(8) };
    for (const [name, source] of Object.entries(sources)) {
      hub.register(name, source);
      await expect(hub.get(name)).rejects.toMatchObject({ code: "UNSUPPORTED" });
    }
    expect(() => hub.register("wrong", "/model.onnx", { maxBatchSize: 0 })).toThrow("maxBatchSize");
    await hub.dispose();
  });

  it("defect 3: provides a clock without a document, and starts no worker for it", async () => {
    const site = channelSite(() => null);
    const clock = createSteadyClock(site);
    await new Promise<void>((resolve) => {
      clock.schedule(clock.now(), () => resolve());
    });
    clock.close();
    expect(site.started).toEqual([]);
  });
});

describe("a lock that is taken only if it is free", () => {
  it("is held until it is released", async () => {
    const held = new Set<string>();
    const request = async (name: string, _options: LockOptions, use: (lock: object | null) => unknown) => {
      if (held.has(name)) return use(null);
      held.add(name);
      await use({});
      held.delete(name);
    };
    vi.stubGlobal("navigator", { locks: { request } });
    const release = await holdIfFree("a");
    expect(await holdIfFree("a")).toBeNull();
    expect(await holdIfFree("b")).not.toBeNull();
    release?.();
    await expect.poll(() => holdIfFree("a")).not.toBeNull();
    vi.unstubAllGlobals();
  });

  it("counts as taken if the browser rejects it, and as free where there are no locks", async () => {
    vi.stubGlobal("navigator", { locks: { request: () => Promise.reject(new Error("SecurityError")) } });
    expect(await holdIfFree("a")).toBeNull();
    vi.stubGlobal("navigator", {});
    expect(await holdIfFree("a")).not.toBeNull();
    vi.unstubAllGlobals();
  });
});

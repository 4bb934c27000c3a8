import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { costs } from "@framebatch/batcher/test/known-costs.js";
import { DOWN, itemsOf, routing } from "../../test/support/routing.js";

type Routing = ReturnType<typeof routing>;

/** Of "abcd", the device runs "a" and "b", each in a batch of its own, and "c" and "d" wait. */
const ONE_BY_ONE = { maxBatchSize: 1 } as const;

/** The worker of the device is lost, and a new one starts. */
function lose({ model, local, router, clock }: Routing): void {
  model.state = "recovering";
  local.pause();
  router.sidesChanged();
  clock.endTask();
}

/** The new worker is ready. */
function recover({ model, local, router, clock }: Routing): void {
  model.state = "ready";
  local.resume();
  router.sidesChanged();
  clock.endTask();
}

describe("requests that wait for a device that is lost", () => {
  it("leave it for the server, oldest first, and those that run stay", () => {
    const routed = routing({ device: ONE_BY_ONE });
    const { task, engines, outcomes, router } = routed;
    task("abcd");
    expect(itemsOf(engines.device)).toEqual(["a", "b"]);
    lose(routed);
    expect(itemsOf(engines.server)).toEqual(["c d"]);
    engines.server.answer();
    recover(routed);
    while (engines.device.open > 0) engines.device.answer();
    expect(outcomes).toEqual({ a: "A device", b: "B device", c: "C server", d: "D server" });
    expect(router.counts.snapshot()).toMatchObject({ open: 0, rejected: 0, movedTo: { device: 0, server: 2 } });
  });

  it("stay as long as the device is predicted to be sooner, its start included", () => {
    const routed = routing({
      device: { maxBatchSize: 1, costData: costs(() => 10) },
      server: { maxBatchSize: 1, costData: costs(() => 150) },
    });
    const { task, remote, local } = routed;
    task("abcdefg");
    lose(routed);
    // A start takes 300 ms: the server would answer the third request only after 450.
    expect(remote.stats().requests).toMatchObject({ queued: 1, inFlight: 1 });
    expect(local.stats().requests).toMatchObject({ aborted: 2, queued: 4, inFlight: 1 });
  });

  it("come back if the server fails them", () => {
    const routed = routing({ device: ONE_BY_ONE });
    const { task, engines, fail, outcomes, router } = routed;
    task("abcd");
    lose(routed);
    fail("server", DOWN);
    expect(outcomes).toEqual({});
    recover(routed);
    while (engines.device.open > 0) engines.device.answer();
    expect(outcomes).toEqual({ a: "A device", b: "B device", c: "C device", d: "D device" });
    expect(router.counts.snapshot()).toMatchObject({ rejected: 0, open: 0 });
  });

  it("do not leave a second time", () => {
    const routed = routing({ device: ONE_BY_ONE });
    const { task, clock, engines, fail } = routed;
    task("abcd");
    lose(routed);
    const asked = engines.server.batches.length;
    fail("server", DOWN);
    clock.advanceTo(10_000);
    routed.outage.answered();
    routed.router.sidesChanged();
    clock.endTask();
    expect(engines.server.batches).toHaveLength(asked);
  });

  it("let one request try a server that has failed before, and follow it when it answers", () => {
    const routed = routing({ device: ONE_BY_ONE, server: ONE_BY_ONE });
    const { task, model, clock, engines, fail } = routed;
    model.state = "failed";
    task("x");
    fail("server", DOWN);
    recover(routed);
    task("abcde");
    clock.advanceTo(300);
    const asked = engines.server.batches.length;
    lose(routed);
    expect(engines.server.batches).toHaveLength(asked + 1);
    engines.server.answer();
    routed.router.sidesChanged();
    clock.endTask();
    expect(engines.server.batches.length).toBeGreaterThan(asked + 1);
  });

  it("stay while the server is not asked", () => {
    const routed = routing({ device: ONE_BY_ONE });
    const { task, engines, outage } = routed;
    task("abcd");
    outage.failed({}, DOWN);
    lose(routed);
    expect(engines.server.batches).toEqual([]);
  });

  it("keep their deadline, key, priority and abort", () => {
    const routed = routing({ device: ONE_BY_ONE, server: ONE_BY_ONE });
    const { task, clock, engines, remote, router, outcomes } = routed;
    task("ab");
    task("c", { timeoutMs: 100 });
    task("d", { key: "field" });
    const [e] = task("e");
    task("f", { priority: "user-blocking" });
    clock.advanceTo(50);
    remote.pause();
    lose(routed);
    expect(remote.stats().requests.queued).toBe(4);
    task("g", { key: "field" });
    e?.cancel("no more");
    clock.advanceTo(100);
    remote.resume();
    clock.endTask();
    expect(outcomes).toEqual({ c: "TIMED_OUT", d: "SUPERSEDED", e: "no more" });
    expect(itemsOf(engines.server)).toEqual(["f", "g"]);
    router.dispose(new FramebatchError("DISPOSED", "over"));
    expect(clock.pending).toBe(0);
  });
});

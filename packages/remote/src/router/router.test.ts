import { describe, expect, it } from "vitest";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { predictStream } from "@framebatch/batcher/calls/predict-stream.js";
import { StreamRequests } from "@framebatch/batcher/calls/stream-requests.js";
import { until } from "@framebatch/host/test/settling.js";
import { STAYS } from "@framebatch/batcher/queue/request.js";
import { costs } from "@framebatch/batcher/test/known-costs.js";
import { CRASHED, DOWN, itemsOf, routing } from "../../test/support/routing.js";

/** The device runs two requests, a third one waits, and there is no room for more. */
const FULL = { maxQueueSize: 1, maxBatchSize: 1 } as const;

const status = (code: number) => new FramebatchError("REMOTE_STATUS", `${code}`, { details: { status: code } });

/**
 * Three requests with 1000 ms each, of which the device computes one at a time. It restarts after 600 ms: the last goes
 * to the server.
 */
function routingAfterRestart() {
  const routed = routing({ device: { maxBatchSize: 1 } });
  routed.task("abc", { timeoutMs: 1000 });
  routed.clock.advanceTo(600);
  routed.model.state = "recovering";
  routed.local.pause();
  routed.router.sidesChanged();
  return routed;
}

describe("a router that prefers the device", () => {
  it("asks the device alone while it answers", () => {
    const { task, engines, outcomes, router } = routing();
    task("abc");
    engines.device.answer();
    expect(outcomes).toEqual({ a: "A device", b: "B device", c: "C device" });
    expect(engines.server.batches).toEqual([]);
    expect(router.counts.snapshot()).toEqual({
      offered: 3,
      completed: { device: 3, server: 0 },
      rejected: 0,
      open: 0,
      movedTo: { device: 0, server: 0 },
    });
  });

  it.each([
    "WORKER_CRASHED",
    "WORKER_HUNG",
    "DEVICE_LOST",
    "OUT_OF_MEMORY",
    "BATCH_UNSAFE",
    "MODEL_INTEGRITY",
  ] as const)("lets the server answer when the device fails with %s", (code) => {
    const { task, fail, engines, outcomes, router } = routing();
    task("ab");
    fail("device", new FramebatchError(code, "on purpose"));
    expect(outcomes).toEqual({});
    engines.server.answer();
    expect(outcomes).toEqual({ a: "A server", b: "B server" });
    expect(router.counts.snapshot()).toMatchObject({ completed: { server: 2 }, movedTo: { server: 2 } });
  });

  it("keeps the error of an item that the device cannot run", () => {
    const { task, fail, engines, outcomes } = routing();
    task("a");
    fail("device", new FramebatchError("INFERENCE_FAILED", "not this one"));
    expect(outcomes).toEqual({ a: "INFERENCE_FAILED" });
    expect(engines.server.batches).toEqual([]);
  });

  it("asks the server for what would miss maxLatencyMs on the device, if the server is predicted to make it", () => {
    const device = { costData: costs(() => 60), maxBatchSize: 1 };
    const { task, clock, engines, outage, outcomes, errors } = routing({
      maxLatencyMs: 100,
      device,
      server: { costData: costs(() => 45), maxBatchSize: 1 },
    });
    outage.answered();
    task("abcde");
    expect(itemsOf(engines.device)).toEqual(["a"]);
    expect(outcomes).toEqual({ d: "OVERLOADED", e: "OVERLOADED" });
    expect(errors["d"]?.details).toMatchObject({ otherOrigin: "server", otherCode: "OVERLOADED", predictedMs: 120 });
    clock.advanceTo(45);
    for (const engine of [engines.device, engines.server, engines.server]) engine.answer();
    expect(itemsOf(engines.server)).toEqual(["b", "c"]);
    expect(outcomes).toMatchObject({ a: "A device", b: "B server", c: "C server" });
  });

  it("counts maxLatencyMs and timeoutMs from the call, whichever side answers", () => {
    const { task, clock, fail, outcomes, engines, outage, remote } = routing({
      maxLatencyMs: 100,
      server: { costData: costs(() => 60) },
    });
    outage.answered();
    task("a");
    clock.advanceTo(50);
    fail("device", CRASHED);
    clock.endTask();
    expect(outcomes).toEqual({ a: "WORKER_CRASHED" });
    expect(remote.stats().requests.refused.latency).toBe(1);
    expect(engines.server.batches).toEqual([]);
  });

  it("asks the server while the device recovers, and the device again afterwards", () => {
    const { task, model, engines } = routing();
    model.state = "recovering";
    task("a");
    model.state = "ready";
    task("b");
    expect([itemsOf(engines.server), itemsOf(engines.device)]).toEqual([["a"], ["b"]]);
  });

  it("does not take a server for silent that is asked when half of the time has passed", () => {
    const { clock, engines, outages, outcomes } = routingAfterRestart();
    clock.advanceTo(601);
    expect([itemsOf(engines.server), outages]).toEqual([["c"], []]);
    engines.server.answer();
    expect(outcomes).toEqual({ c: "C server" });
  });

  it("lets the device answer what a server leaves open for half of the time that was left", () => {
    const { clock, engines, local, model, outages, outcomes } = routingAfterRestart();
    clock.advanceTo(799);
    expect(outages).toEqual([]);
    clock.advanceTo(800);
    expect(outages).toEqual(["REMOTE_UNREACHABLE"]);
    model.state = "ready";
    local.resume();
    while (engines.device.open > 0) engines.device.answer();
    expect(outcomes).toMatchObject({ c: "C' device" });
  });

  it("lets requests wait for a device that recovers if the server does not answer", () => {
    const { task, model, local, fail, engines, outcomes } = routing();
    model.state = "recovering";
    local.pause();
    task("a");
    fail("server", DOWN);
    expect(outcomes).toEqual({});
    model.state = "ready";
    local.resume();
    engines.device.answer();
    expect(outcomes).toEqual({ a: "A device" });
  });

  it("rejects with the error of the device, and names that of the server, when both fail", () => {
    const { task, fail, outcomes, errors, router } = routing();
    task("a");
    fail("device", CRASHED);
    fail("server", DOWN);
    expect(outcomes).toEqual({ a: "WORKER_CRASHED" });
    expect(errors["a"]).toMatchObject({
      message: "device: the worker crashed (the server failed too: no answer)",
      details: { otherOrigin: "server", otherCode: "REMOTE_UNREACHABLE" },
      cause: DOWN,
    });
    expect(router.counts.snapshot()).toMatchObject({ offered: 1, rejected: 1, open: 0, movedTo: { server: 1 } });
  });

  it("rejects with the error of the server if only that had room for the request", () => {
    const { task, fail, clock, outcomes, errors } = routing({ device: FULL });
    for (const item of "abcd") task(item);
    clock.endTask();
    fail("server", DOWN);
    expect(outcomes).toEqual({ d: "REMOTE_UNREACHABLE" });
    expect(errors["d"]).toMatchObject({ details: { otherOrigin: "device", otherCode: "OVERLOADED" } });
  });

  it("lets a part of a stream ask again with its own item if only the server had room for it, and failed", () => {
    const { task, fail, clock, engines, outcomes, errors } = routing({ device: FULL });
    for (const item of "abc") task(item);
    task("d", { [STAYS]: true });
    clock.endTask();
    expect(itemsOf(engines.server)).toEqual(["d'"]);
    fail("server", DOWN);
    expect(outcomes).toEqual({ d: "OVERLOADED" });
    expect(errors["d"]?.details).toMatchObject({ maxQueueSize: 1, otherCode: "REMOTE_UNREACHABLE" });
  });

  it("rejects a part of a stream whose item cannot be copied", () => {
    const copyItem = () => {
      throw new FramebatchError("INVALID_INPUT", "given away");
    };
    const { task, clock, engines, outcomes, router } = routing({ device: FULL, copyItem });
    for (const item of "abc") task(item);
    task("d", { [STAYS]: true });
    clock.endTask();
    expect(outcomes).toEqual({ d: "INVALID_INPUT" });
    expect(engines.server.batches).toEqual([]);
    expect(router.counts.snapshot()).toMatchObject({ open: 3, rejected: 1 });
  });
});

describe("a router that prefers the server", () => {
  it.each([DOWN, status(429), status(500), status(503), new FramebatchError("REMOTE_INVALID", "other dims")])(
    "lets the device answer when the server fails: %s",
    (error) => {
      const { task, fail, engines, outcomes } = routing({ preferred: "server" });
      task("ab");
      fail("server", error);
      engines.device.answer();
      expect(outcomes).toEqual({ a: "A device", b: "B device" });
    },
  );

  it("lets the device answer an item with null in its answer, and goes on to ask the server", () => {
    const { task, clock, engines, outcomes, outages } = routing({ preferred: "server" });
    task("ab");
    const isNull = new FramebatchError("REMOTE_INVALID", "null", { details: { output: "y", isNull: true } });
    engines.server.answer(() => ({ results: [isNull, "B"] }));
    clock.endTask();
    engines.device.answer();
    task("c");
    engines.server.answer();
    expect([outcomes, outages]).toEqual([{ a: "A device", b: "B server", c: "C server" }, []]);
  });

  it("skips a server that has failed for a growing time, then lets one request try", () => {
    const { task, fail, clock, engines, outages } = routing({ preferred: "server", device: { engines: 16 } });
    task("a");
    fail("server", DOWN);
    for (const [atMs, isAsked] of [
      [249, false],
      [250, true],
      [1249, false],
      [1250, true],
      [5249, false],
      [5250, true],
    ] as const) {
      clock.advanceTo(atMs);
      const batches = engines.server.batches.length;
      task("bc");
      expect(engines.server.batches.length - batches, `at ${atMs}`).toBe(isAsked ? 1 : 0);
      if (isAsked) expect(engines.server.batches.at(-1)?.items).toEqual(["b"]);
      if (isAsked && atMs < 5000) fail("server", DOWN);
    }
    expect(outages).toEqual(["REMOTE_UNREACHABLE"]);
    engines.server.answer();
    expect(outages).toEqual(["REMOTE_UNREACHABLE", null]);
    task("de");
    expect(engines.server.batches.at(-1)?.items).toEqual(["d", "e"]);
  });

  it("lets another request try if the one that tries is cancelled", () => {
    const { task, fail, clock, engines } = routing({ preferred: "server" });
    task("a");
    fail("server", DOWN);
    clock.advanceTo(300);
    const [b] = task("b");
    b?.cancel("no more");
    task("c");
    expect(itemsOf(engines.server)).toEqual(["a", "b", "c"]);
  });

  it("does not take a cached result for an answer of the server", () => {
    const cached = { resultCacheSize: 4, contentKey: (item: string) => item.toLowerCase() };
    const { task, fail, clock, engines, outages, outcomes } = routing({ preferred: "server", server: cached });
    task("a");
    engines.server.answer();
    task("b");
    fail("server", DOWN);
    clock.advanceTo(300);
    task("A");
    expect(outcomes).toMatchObject({ a: "A server", A: "A undefined" });
    expect(outages).toEqual(["REMOTE_UNREACHABLE"]);
    task("c");
    expect(itemsOf(engines.server)).toEqual(["a", "b", "c"]);
  });

  it("keeps asking for other items if the server rejects one", () => {
    const { task, fail, engines } = routing({ preferred: "server" });
    task("a");
    fail("server", status(400));
    expect(itemsOf(engines.device)).toEqual(["a"]);
    task("b");
    expect(itemsOf(engines.server)).toEqual(["a", "b"]);
  });

  it("waits no longer than the Retry-After of the server, and no shorter", () => {
    const { task, fail, clock, engines } = routing({ preferred: "server" });
    task("a");
    const busy = { status: 429, retryAfterMs: 3000 };
    fail("server", new FramebatchError("REMOTE_STATUS", "busy", { details: busy }));
    clock.advanceTo(2999);
    task("b");
    clock.advanceTo(3000);
    task("c");
    expect(itemsOf(engines.server)).toEqual(["a", "c"]);
  });

  it.each(["an answer to", "another failure of"])(
    "leaves a server alone that has asked for it, after %s an earlier request",
    (end) => {
      const { task, fail, clock, engines, outages } = routing({ preferred: "server", server: { maxBatchSize: 1 } });
      const details = { status: 429, retryAfterMs: 120_000 };
      const busy = new FramebatchError("REMOTE_STATUS", "busy", { details });
      task("ab");
      fail("server", end === "an answer to" ? busy : DOWN);
      if (end === "an answer to") engines.server.answer();
      else fail("server", busy);
      clock.advanceTo(119_999);
      task("c");
      expect(itemsOf(engines.server)).toEqual(["a", "b"]);
      clock.advanceTo(120_000);
      task("d");
      expect(itemsOf(engines.server)).toEqual(["a", "b", "d"]);
      engines.server.answer();
      expect(outages.at(-1)).toBeNull();
    },
  );

  it("answers on the server what the device has no room for, also if an older request with its key is open", () => {
    const { task, clock, engines, outcomes } = routing({ device: { maxQueueSize: 1, maxBatchSize: 1 } });
    task("a", { key: "field" });
    for (const item of "bc") task(item);
    expect([itemsOf(engines.device), itemsOf(engines.server)]).toEqual([["a", "b"], []]);
    task("d", { key: "field" });
    clock.endTask();
    engines.server.answer();
    expect(outcomes).toEqual({ d: "D server" });
  });

  it("lets the device answer what a server in an outage has not begun with", () => {
    const server = { maxBatchSize: 1 };
    const { task, fail, engines, outcomes } = routing({ preferred: "server", server, device: { maxBatchSize: 8 } });
    task("abcde");
    expect(itemsOf(engines.server)).toEqual(["a", "b"]);
    fail("server", new FramebatchError("REMOTE_STATUS", "busy", { details: { status: 429, retryAfterMs: 1000 } }));
    engines.server.answer();
    while (engines.device.open > 0) engines.device.answer();
    expect(itemsOf(engines.server)).toEqual(["a", "b"]);
    expect(outcomes).toEqual({ a: "A device", b: "B server", c: "C device", d: "D device", e: "E device" });
  });

  it("lets a device that has recovered answer what a server in an outage has not begun with", () => {
    const server = { maxBatchSize: 1 };
    const { task, fail, clock, model, router, engines, outcomes } = routing({ preferred: "server", server });
    model.state = "failed";
    task("abcde");
    fail("server", DOWN);
    model.state = "ready";
    router.sidesChanged();
    clock.endTask();
    while (engines.device.open > 0) engines.device.answer();
    expect(itemsOf(engines.server)).toEqual(["a", "b", "c"]);
    expect(outcomes).toEqual({ a: "REMOTE_UNREACHABLE", d: "D device", e: "E device" });
  });

  it("lets another request try if the one that tries leaves the queue for a device that has recovered", () => {
    const { task, fail, clock, model, router, remote, engines } = routing({ preferred: "server" });
    model.state = "failed";
    task("a");
    fail("server", DOWN);
    clock.advanceTo(300);
    remote.pause();
    task("b");
    model.state = "ready";
    router.sidesChanged();
    clock.endTask();
    expect(itemsOf(engines.device)).toEqual(["b"]);
    remote.resume();
    task("c");
    expect(itemsOf(engines.server)).toEqual(["a", "c"]);
  });

  it("lets another request try if a server asks for time while one tries", () => {
    const { task, fail, clock, engines, outages } = routing({ preferred: "server", server: { maxBatchSize: 1 } });
    task("ab");
    fail("server", DOWN);
    clock.advanceTo(300);
    task("c");
    fail("server", new FramebatchError("REMOTE_STATUS", "busy", { details: { status: 429, retryAfterMs: 1000 } }));
    task("d");
    engines.server.answer();
    expect(outages).toEqual(["REMOTE_UNREACHABLE"]);
    clock.advanceTo(1300);
    task("e");
    expect(itemsOf(engines.server)).toEqual(["a", "b", "c", "e"]);
  });

  it("asks a server again at once when it has been opened again, as a restart does", () => {
    const { task, fail, clock, engines, outage } = routing({ preferred: "server" });
    task("a");
    fail("server", new FramebatchError("REMOTE_STATUS", "busy", { details: { status: 429, retryAfterMs: 3000 } }));
    outage.opening()();
    task("b");
    expect(itemsOf(engines.server)).toEqual(["a", "b"]);
    // The next outage does not last for the time of the one before.
    fail("server", DOWN);
    clock.advanceTo(250);
    task("c");
    expect(itemsOf(engines.server)).toEqual(["a", "b", "c"]);
  });

  it("does not ask a server that has asked for time while it was opened again", () => {
    const { task, fail, clock, engines, outage } = routing({ preferred: "server" });
    task("a");
    const opened = outage.opening();
    fail("server", new FramebatchError("REMOTE_STATUS", "busy", { details: { status: 429, retryAfterMs: 3000 } }));
    opened();
    task("b");
    clock.advanceTo(2999);
    task("c");
    expect(itemsOf(engines.server)).toEqual(["a"]);
    clock.advanceTo(3000);
    task("d");
    expect(itemsOf(engines.server)).toEqual(["a", "d"]);
  });

  it.each([{ timeoutMs: 100 }, {}])("lets the device answer after half of the time of a request: %j", (options) => {
    const { task, clock, engines, outcomes, remote } = routing({
      preferred: "server",
      ...(options.timeoutMs === undefined && { maxLatencyMs: 100 }),
    });
    task("a", options);
    clock.advanceTo(49);
    expect(itemsOf(engines.device)).toEqual([]);
    clock.advanceTo(50);
    clock.endTask();
    // A copy: the batch on the server may still use the item.
    expect(itemsOf(engines.device)).toEqual(["a'"]);
    engines.device.answer();
    engines.server.answer();
    expect(outcomes).toEqual({ a: "A' device" });
    expect(remote.stats().requests).toMatchObject({ aborted: 1, inFlight: 0 });
  });

  it("tries a server again that seems too slow after one slow answer", () => {
    const { task, clock, engines } = routing({ preferred: "server", maxLatencyMs: 100, device: { engines: 8 } });
    task("a");
    clock.advanceTo(40);
    clock.freezeUntil(900);
    engines.server.answer();
    clock.advanceTo(1000);
    task("b");
    expect(itemsOf(engines.server)).toEqual(["a"]);
    expect(itemsOf(engines.device)).toEqual(["b"]);
    engines.device.answer();
    clock.advanceTo(1900);
    task("c");
    expect(itemsOf(engines.server)).toEqual(["a", "c"]);
  });

  it("leaves a request with a server that answers others meanwhile", () => {
    const { task, clock, engines, outcomes } = routing({ preferred: "server", server: { maxBatchSize: 1 } });
    task("ab", { timeoutMs: 100 });
    clock.advanceTo(10);
    engines.server.answer();
    clock.advanceTo(60);
    expect(itemsOf(engines.device)).toEqual([]);
    engines.server.answer();
    expect(outcomes).toEqual({ a: "A server", b: "B server" });
  });

  it("does not take a server for failed because a background request takes half of maxLatencyMs", () => {
    const { task, clock, engines, outages, outcomes } = routing({ preferred: "server", maxLatencyMs: 100 });
    task("a", { priority: "background" });
    clock.advanceTo(60);
    clock.endTask();
    engines.server.answer();
    expect(outages).toEqual([]);
    expect(outcomes).toEqual({ a: "A server" });
  });

  it("sends all to a server that does not answer if the device has failed for good", () => {
    const { task, fail, model, engines } = routing({ preferred: "server" });
    model.state = "failed";
    task("a");
    fail("server", DOWN);
    task("b");
    expect(itemsOf(engines.server)).toEqual(["a", "b"]);
  });
});

describe("a router whose device is still loading", () => {
  const LOADING = { preferred: "server", isLoading: true } as const;

  it("lets requests that the server fails wait for the device", () => {
    const { task, fail, loaded, engines, outcomes, router } = routing(LOADING);
    task("ab");
    fail("server", DOWN);
    expect(outcomes).toEqual({});
    expect(router.counts.snapshot()).toMatchObject({ open: 2 });
    loaded(true);
    engines.device.answer();
    expect(outcomes).toEqual({ a: "A device", b: "B device" });
    expect(router.counts.snapshot()).toMatchObject({ open: 0, movedTo: { device: 2 } });
  });

  it("rejects them with the error of the server if the device fails, too", () => {
    const { task, fail, loaded, outcomes } = routing(LOADING);
    task("a");
    fail("server", DOWN);
    loaded(false);
    expect(outcomes).toEqual({ a: "REMOTE_UNREACHABLE" });
    task("b");
    fail("server", DOWN);
    expect(outcomes).toEqual({ a: "REMOTE_UNREACHABLE", b: "REMOTE_UNREACHABLE" });
  });

  it("keeps to their deadlines, aborts, keys and the end of the model while they wait", () => {
    const { task, fail, loaded, clock, router, outcomes, engines } = routing(LOADING);
    task("a", { timeoutMs: 100 });
    const [b] = task("b");
    task("c", { key: "field" });
    task("d");
    while (engines.server.open > 0) fail("server", DOWN);
    expect(outcomes).toEqual({});
    clock.advanceTo(100);
    b?.cancel("no more");
    b?.cancel("once more");
    clock.advanceTo(300);
    task("e", { key: "field" });
    expect(outcomes).toEqual({ a: "REMOTE_UNREACHABLE", b: "no more", c: "SUPERSEDED" });
    router.dispose(new FramebatchError("DISPOSED", "over"));
    loaded(false);
    expect(outcomes).toMatchObject({ d: "DISPOSED", e: "DISPOSED" });
    expect(clock.pending).toBe(0);
  });

  it.each([0, 1000])("lets it answer what a server that is down for %d ms has not begun with", (atMs) => {
    const one = { maxBatchSize: 1 };
    const { task, fail, clock, loaded, engines, outcomes } = routing({ ...LOADING, server: one });
    task("abcde");
    expect(itemsOf(engines.server)).toEqual(["a", "b"]);
    fail("server", DOWN);
    expect(itemsOf(engines.server)).toEqual(["a", "b", "c"]);
    clock.advanceTo(atMs);
    loaded(true);
    while (engines.device.open > 0) engines.device.answer();
    // b and c are with the server, which says nothing any more.
    expect(outcomes).toEqual({ a: "A device", d: "D device", e: "E device" });
  });

  it.each([100, 600])("lets it answer after half of the time of a request, if it loads in %d ms", (atMs) => {
    const { task, clock, loaded, engines, outages, outcomes } = routing(LOADING);
    task("a", { timeoutMs: 1000 });
    clock.advanceTo(atMs);
    loaded(true);
    clock.advanceTo(Math.max(500, atMs));
    clock.endTask();
    expect(itemsOf(engines.device)).toEqual(["a'"]);
    engines.device.answer();
    clock.advanceTo(1000);
    expect(outcomes).toEqual({ a: "A' device" });
    expect(outages).toEqual(["REMOTE_UNREACHABLE"]);
  });

  it("leaves a request that is late with a server that answers others meanwhile", () => {
    const { task, clock, loaded, engines } = routing({ ...LOADING, server: { maxBatchSize: 1 } });
    task("ab", { timeoutMs: 1000 });
    clock.advanceTo(10);
    engines.server.answer();
    clock.advanceTo(600);
    loaded(true);
    expect(itemsOf(engines.device)).toEqual([]);
  });

  it("lets a background request wait for it, whatever maxLatencyMs is", () => {
    const { task, fail, clock, loaded, engines, outcomes } = routing({ ...LOADING, maxLatencyMs: 100 });
    task("a", { priority: "background" });
    fail("server", DOWN);
    clock.advanceTo(200);
    loaded(true);
    engines.device.answer();
    expect(outcomes).toEqual({ a: "A device" });
  });

  it("rejects a request that cannot wait for it, because its item was given away", () => {
    const take = () => {
      throw new FramebatchError("INVALID_INPUT", "given away");
    };
    const { task, clock, router, outcomes } = routing({ ...LOADING, server: { take } });
    task("a");
    expect(outcomes).toEqual({ a: "INVALID_INPUT" });
    expect(router.counts.snapshot()).toMatchObject({ rejected: 1, open: 0 });
    expect(clock.pending).toBe(0);
  });

  it("leaves an item its caller's that the server has no room for, in case it fails", () => {
    const taken: string[] = [];
    const server = { ...FULL, take: (item: string) => void taken.push(item) };
    const { task, clock, loaded, outcomes } = routing({ ...LOADING, server });
    for (const item of "abcd") task(item);
    clock.endTask();
    loaded(false);
    expect(outcomes).toEqual({ d: "OVERLOADED" });
    expect(taken).toEqual(["a", "b", "c"]);
  });
});

describe("a router", () => {
  it("supersedes a request on the device by a newer one on the server", () => {
    const { task, fail, clock, local, outcomes, engines } = routing({ preferred: "server" });
    task("x");
    fail("server", DOWN);
    local.pause();
    task("a", { key: "field" });
    clock.advanceTo(250);
    task("b", { key: "field" });
    expect(outcomes).toEqual({ a: "SUPERSEDED" });
    expect(itemsOf(engines.server)).toEqual(["x", "b"]);
  });

  it("supersedes a request on the server by a newer one on the device", () => {
    const { task, model, remote, outcomes, engines } = routing();
    remote.pause();
    model.state = "recovering";
    task("a", { key: "field" });
    model.state = "ready";
    task("b", { key: "field" });
    expect(outcomes).toEqual({ a: "SUPERSEDED" });
    expect(itemsOf(engines.device)).toEqual(["b"]);
  });

  it("does not let an older request that moves supersede a newer one", () => {
    const { task, fail, outcomes, engines } = routing({ device: { release: "off" } });
    task("a", { key: "field" });
    task("b", { key: "field" });
    fail("device", CRASHED);
    expect(outcomes).toEqual({ a: "SUPERSEDED" });
    fail("device", CRASHED);
    engines.server.answer();
    expect(outcomes).toEqual({ a: "SUPERSEDED", b: "B server" });
  });

  it("supersedes on a full side only what has the same key", () => {
    const full = { maxQueueSize: 1 };
    const { task, local, remote, outcomes } = routing({ device: full, server: full });
    for (const batcher of [local, remote]) batcher.pause();
    task("a", { key: "field" });
    task("b");
    task("c");
    expect(outcomes).toEqual({ c: "OVERLOADED" });
    task("d", { key: "field" });
    expect(outcomes).toEqual({ c: "OVERLOADED", a: "SUPERSEDED" });
  });

  it("does not move a request that its caller has cancelled, whatever the reason", () => {
    const { task, fail, outcomes, engines } = routing();
    const [a, b] = task("ab");
    a?.cancel(CRASHED);
    fail("device", CRASHED);
    b?.cancel("no more");
    expect(outcomes).toEqual({ a: "WORKER_CRASHED", b: "no more" });
    engines.server.answer();
    expect(outcomes).toEqual({ a: "WORKER_CRASHED", b: "no more" });
  });

  it("keeps the priority of a request that moves, also one that was set later", () => {
    const { task, fail, remote, engines } = routing({
      device: { costData: costs(() => 1) },
      server: { maxBatchSize: 1 },
    });
    const [, b] = task("ab", { priority: "background" });
    b?.setPriority("user-blocking");
    remote.pause();
    fail("device", CRASHED);
    remote.resume();
    expect(itemsOf(engines.server)[0]).toBe("b");
  });

  it("does not move a request that has timed out", () => {
    const { task, clock, outcomes, engines } = routing();
    task("a", { timeoutMs: 20 });
    clock.advanceTo(20);
    expect(outcomes).toEqual({ a: "TIMED_OUT" });
    expect(engines.server.batches).toEqual([]);
  });

  it("rejects all open and later requests when it is disposed, and sets no timer any more", () => {
    const { task, model, router, clock, outcomes } = routing();
    task("a", { timeoutMs: 1000 });
    model.state = "recovering";
    task("b", { timeoutMs: 1000 });
    const error = new FramebatchError("DISPOSED", "over");
    router.dispose(error);
    expect(router.disposedWith).toBe(error);
    task("c");
    expect(outcomes).toEqual({ a: "DISPOSED", b: "DISPOSED", c: "DISPOSED" });
    expect(clock.pending).toBe(0);
  });

  it("flushes both sides, and counts again from zero", () => {
    const window = { release: "window", maxQueueDelayMs: 1000 } as const;
    const { task, model, router, clock, engines } = routing({ device: window, server: window });
    task("a");
    model.state = "recovering";
    task("b");
    expect([itemsOf(engines.device), itemsOf(engines.server)]).toEqual([[], []]);
    router.flush();
    clock.endTask();
    expect([itemsOf(engines.device), itemsOf(engines.server)]).toEqual([["a"], ["b"]]);
    engines.device.answer();
    router.resetStats();
    expect(router.counts.snapshot()).toMatchObject({ offered: 1, open: 1, completed: { device: 0 } });
  });

  it("gives streams the room of the side that is asked next, and tells them when that changes", () => {
    const { router, model, local, remote } = routing({ server: { maxQueueSize: 3 } });
    let changes = 0;
    const stop = router.streamRoom.onChange(() => (changes += 1));
    expect(router.streamRoom.targetRequests).toBe(local.streamRoom.targetRequests);
    expect(router.streamRoom.isFor("a")).toBe(true);
    model.state = "failed";
    router.sidesChanged();
    expect(router.streamRoom.targetRequests).toBe(remote.streamRoom.targetRequests);
    expect(remote.streamRoom.targetRequests).toBe(3);
    expect(changes).toBe(1);
    stop();
    router.sidesChanged();
    expect(changes).toBe(1);
  });

  it("ends a stream whose items move to a side without room, at the turn of the first one that is rejected", async () => {
    const { router, engines, clock, fail } = routing({
      preferred: "server",
      device: { maxQueueSize: 1, maxBatchSize: 1, engines: 1 },
    });
    const settings = { admit: (item: string) => item, options: {}, checkOptions: () => undefined };
    const outputs: string[] = [];
    const collect = async () => {
      for await (const output of predictStream("abcdefgh", new StreamRequests(router, settings))) outputs.push(output);
    };
    const ended = collect().catch((error: unknown) => error);
    await until(() => (clock.endTask(), engines.server.open === 2));
    engines.server.answer();
    fail("server", DOWN);
    while (engines.device.open > 0) {
      engines.device.answer();
      clock.endTask();
    }
    expect(await ended).toMatchObject({ code: "REMOTE_UNREACHABLE", details: { otherCode: "OVERLOADED" } });
    expect(outputs).toEqual(["A", "B", "C", "D", "E", "F", "G"]);
  });
});

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { enqueueAbortable } from "./abortable.js";
import type { PredictOptions } from "../options/options.js";
import { taskSignal } from "../../test/support/scene.js";
import { RecordingQueue } from "../../test/support/recording-queue.js";

function request(options: PredictOptions) {
  const queue = new RecordingQueue<string, number>();
  const promise = new Promise<number>((resolve, reject) => {
    enqueueAbortable(queue, "item", { resolve, reject }, options);
  });
  const [recorded] = queue.requests;
  return { promise, recorded };
}

describe("a signal", () => {
  it("keeps the request out of the queue if it is already aborted", async () => {
    const { promise, recorded } = request({ signal: AbortSignal.abort("why") });
    await expect(promise).rejects.toBe("why");
    expect(recorded).toBeUndefined();
  });

  it("cancels the request with its reason when it aborts", async () => {
    const controller = new AbortController();
    const { promise, recorded } = request({ signal: controller.signal });
    controller.abort("changed my mind");
    await expect(promise).rejects.toBe("changed my mind");
    expect(recorded?.log).toEqual(["cancelled"]);
  });

  it.each(["resolve", "reject"] as const)("has no listeners after the request settles (%s)", async (outcome) => {
    const { signal } = new AbortController();
    const { promise, recorded } = request({ signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    if (outcome === "resolve") recorded?.sink.resolve(7, null, 0);
    else recorded?.sink.reject(new Error("no"));
    await promise.catch(() => {});
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    expect(getEventListeners(signal, "prioritychange")).toHaveLength(0);
  });
});

describe("a signal of many requests", () => {
  it("has one listener, and cancels all open requests when it aborts", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const requests = [request({ signal }), request({ signal }), request({ signal })];
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    requests[0]?.recorded?.sink.resolve(7, null, 0);
    controller.abort("enough");
    expect(await Promise.allSettled(requests.map(({ promise }) => promise))).toEqual([
      { status: "fulfilled", value: 7 },
      { status: "rejected", reason: "enough" },
      { status: "rejected", reason: "enough" },
    ]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});

describe("the priority of a TaskSignal", () => {
  it("becomes the request's priority, and later changes follow", () => {
    const { signal, set } = taskSignal();
    const { promise, recorded } = request({ signal });
    promise.catch(() => {});
    expect(recorded?.options?.priority).toBe("background");
    set("user-blocking");
    set("nonsense");
    expect(recorded?.log).toEqual(["user-blocking"]);
  });

  it("yields to a priority in the options", () => {
    const { signal, set } = taskSignal();
    const { promise, recorded } = request({ signal, priority: "user-visible" });
    promise.catch(() => {});
    set("user-blocking");
    expect(recorded?.options?.priority).toBe("user-visible");
    expect(recorded?.log).toEqual([]);
  });
});

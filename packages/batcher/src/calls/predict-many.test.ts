import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { enqueueMany } from "./predict-many.js";
import { FramebatchError } from "../errors/errors.js";
import { taskSignal } from "../../test/support/scene.js";
import { RecordingQueue } from "../../test/support/recording-queue.js";

function list(items: Iterable<string>, options = {}) {
  const queue = new RecordingQueue<string, string>();
  const admit = (item: string) => {
    if (item === "bad")
      throw new FramebatchError("INVALID_INPUT", "expected good, got bad; be good", { details: { input: "x" } });
    return item;
  };
  return { queue, promise: enqueueMany(queue, items, admit, options) };
}

describe("a list", () => {
  it("resolves in its own order, whatever the order of the answers", async () => {
    const { queue, promise } = list(["a", "b", "c"]);
    for (const { item, sink } of queue.requests.toReversed()) sink.resolve(item.toUpperCase(), null, 0);
    await expect(promise).resolves.toEqual(["A", "B", "C"]);
  });

  it("resolves to an empty list if it is empty", async () => {
    await expect(list([]).promise).resolves.toEqual([]);
  });

  it("rejects with the first failure, names the index of its item, and removes the other items from the queue", async () => {
    const { queue, promise } = list(["a", "b", "c"]);
    queue.requests[1]?.sink.reject(new FramebatchError("TIMED_OUT", "late"));
    await expect(promise).rejects.toMatchObject({ code: "TIMED_OUT", message: "item 1: late", details: { index: 1 } });
    expect(queue.requests.map(({ log }) => log)).toEqual([["cancelled"], ["cancelled"], ["cancelled"]]);
  });

  it("makes one error when it ends, and none for each of its items", async () => {
    let read = 0;
    const error = Object.defineProperty(new Error(), "message", { get: () => `read ${++read}` });
    const { queue, promise } = list(["a", "b", "c", "d", "e"]);
    queue.requests[0]?.sink.reject(error);
    const readForOne = read;
    for (const { sink } of queue.requests) sink.reject(error);
    expect(read).toBe(readForOne);
    await expect(promise).rejects.toMatchObject({ details: { index: 0 } });
  });

  it("adds the item's index to errors that are not framebatch's, and keeps them as the cause", async () => {
    const error = new RangeError("too dark");
    const failed = list(["a", "b"]);
    failed.queue.requests[1]?.sink.reject(error);
    await expect(failed.promise).rejects.toMatchObject({
      code: "INFERENCE_FAILED",
      message: "item 1: too dark",
      details: { index: 1 },
      cause: error,
    });
    const odd = list(["a"]);
    odd.queue.requests[0]?.sink.reject("no error at all");
    await expect(odd.promise).rejects.toMatchObject({ message: "item 0: no error at all", details: { index: 0 } });
  });

  it("stops at an invalid item, and reads no further", async () => {
    let read = 0;
    function* source() {
      for (const item of ["a", "bad", "c"]) {
        read += 1;
        yield item;
      }
    }
    const { queue, promise } = list(source());
    await expect(promise).rejects.toMatchObject({ code: "INVALID_INPUT", details: { input: "x", index: 1 } });
    expect(queue.requests.map(({ item }) => item)).toEqual(["a"]);
    expect(read).toBe(2);
  });

  it("rejects with an error that its source throws", async () => {
    const { queue, promise } = list(
      (function* () {
        yield "a";
        throw new Error("the source broke");
      })(),
    );
    await expect(promise).rejects.toThrow("the source broke");
    expect(queue.requests[0]?.log).toEqual(["cancelled"]);
  });

  it("adds one listener to its signal, and removes it once the list settles", async () => {
    const controller = new AbortController();
    const { queue, promise } = list(["a", "b", "c"], { signal: controller.signal });
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort("enough");
    await expect(promise).rejects.toBe("enough");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    expect(queue.requests.every(({ log }) => log.includes("cancelled"))).toBe(true);
  });

  it("is rejected as a whole for an invalid option", async () => {
    const { queue, promise } = list(["a"], { priority: "high" });
    await expect(promise).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(queue.requests).toEqual([]);
  });

  it("defect 11: uses the priority of a TaskSignal, and follows its changes", async () => {
    const { signal, set } = taskSignal();
    const { queue, promise } = list(["a", "b"], { signal });
    expect(queue.requests.map(({ options }) => options?.priority)).toEqual(["background", "background"]);
    set("user-blocking");
    set("nonsense");
    expect(queue.requests.map(({ log }) => log)).toEqual([["user-blocking"], ["user-blocking"]]);
    for (const { sink } of queue.requests) sink.resolve("done", null, 0);
    await promise;
    expect(getEventListeners(signal, "prioritychange")).toEqual([]);
  });

  it("keeps a priority in the options", () => {
    const { signal, set } = taskSignal();
    const { queue } = list(["a"], { signal, priority: "user-visible" });
    set("user-blocking");
    expect(queue.requests[0]?.options?.priority).toBe("user-visible");
    expect(queue.requests[0]?.log).toEqual([]);
  });

  it("defect 24: is rejected as a whole for a key, which its items would share", async () => {
    for (const items of [["a", "b"], []]) {
      const { queue, promise } = list(items, { key: "wheel" });
      await expect(promise).rejects.toMatchObject({
        code: "INVALID_OPTION",
        message: expect.stringMatching(/^key: expected no key for many items/),
      });
      expect(queue.requests).toEqual([]);
    }
  });
});

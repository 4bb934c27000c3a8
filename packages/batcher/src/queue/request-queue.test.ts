import { describe, expect, it } from "vitest";
import type { QueuedRequest } from "./request.js";
import { RequestQueue } from "./request-queue.js";
import { queued } from "../../test/support/queued.js";

function queueOf(...requests: QueuedRequest<string, string>[]): RequestQueue<string, string> {
  const queue = new RequestQueue<string, string>();
  for (const request of requests) queue.push(request);
  return queue;
}

const shape = (group: string, ...extents: number[]) => ({ shape: { group, extents } });

describe("the request queue", () => {
  it("returns the most urgent priority first, and within it the earliest deadline", () => {
    const queue = queueOf(
      queued("a1", { priority: "background", timeoutAtMs: 1 }),
      queued("a2"),
      queued("a3", { timeoutAtMs: 500 }),
    );
    expect(queue.leader(0)?.item).toBe("a3");
  });

  it("tracks the oldest request, and the newest with an objective, whatever their priorities and deadlines", () => {
    const requests = [
      queued("a1", { priority: "background" }),
      queued("a2", { priority: "user-blocking", timeoutAtMs: 1, objectiveAtMs: 5 }),
      queued("a3", { objectiveAtMs: 5 }),
    ];
    const queue = queueOf(...requests);
    expect([queue.oldest()?.item, queue.newest()?.item]).toEqual(["a1", "a3"]);
    queue.remove(requests[0]!, "running");
    expect(queue.oldest()?.item).toBe("a2");
    queue.setRank(requests[2]!, 0);
    queue.remove(requests[1]!, "settled");
    expect(queue.oldest()?.item).toBe("a3");
    queue.remove(requests[2]!, "settled");
    expect([queue.oldest(), queue.newest(), queue.size]).toEqual([undefined, undefined, 0]);
  });

  it("gives a row the age of its oldest remaining request, not of its newest", () => {
    const [first, second, third] = [
      queued("a1", { contentKey: "x" }),
      queued("a2", { contentKey: "x" }),
      queued("a3", { objectiveAtMs: 5 }),
    ];
    const queue = queueOf(first);
    queue.attach(second, first);
    queue.push(third);
    queue.remove(first, "settled");
    expect([queue.oldest()?.item, queue.newest()?.item, queue.size]).toEqual(["a2", "a3", 2]);
    expect(queue.withContent("x")?.item).toBe("a2");
  });

  it("returns the lanes of the leader's group in the order of their sizes", () => {
    const leader = queued("a3", shape("x", 100));
    const queue = queueOf(
      queued("a1", shape("x", 10)),
      queued("a2", shape("y", 100)),
      leader,
      queued("a4", shape("x", 102)),
      queued("a5", shape("x", 200)),
    );
    const { lanes, place } = queue.lanesAround(leader);
    expect(place).toBe(1);
    expect(lanes.map(({ extents, requests }) => [extents, requests.size])).toEqual([
      [[10], 1],
      [[102], 2],
      [[200], 1],
    ]);
  });

  it("resets the extents of a lane once it is empty", () => {
    const [long, short] = [queued("a1", shape("x", 103)), queued("a2", shape("x", 97))];
    const queue = queueOf(long);
    queue.remove(long, "settled");
    queue.push(short);
    expect(queue.lanesAround(short).lanes.map(({ extents }) => extents)).toEqual([[97]]);
  });

  it("finds a key only while its request is queued, also on the row of another request", () => {
    const [leader, sharer] = [
      queued("a1", { contentKey: "x", key: "k1" }),
      queued("a2", { contentKey: "x", key: "k2" }),
    ];
    const queue = queueOf(leader);
    queue.attach(sharer, leader);
    expect([queue.withKey("k1")?.item, queue.withKey("k2")?.item, queue.size]).toEqual(["a1", "a2", 1]);
    queue.remove(queue.leader(0)!, "running");
    expect([queue.withKey("k1"), queue.withKey("k2"), queue.withContent("x")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("keeps a row while one request remains on it, and removes it with the last", () => {
    const sharers = [1, 2, 3].map((number) => queued(`a${number}`, { contentKey: "x" }));
    const queue = queueOf(sharers[0]!);
    for (const sharer of sharers.slice(1)) queue.attach(sharer, queue.withContent("x")!);
    expect([...(queue.leader(0)?.standsFor?.sharers ?? [])]).toEqual(sharers);
    for (const sharer of sharers) {
      expect([queue.leader(0)?.item, queue.size]).toEqual([sharer.item, 1]);
      queue.remove(sharer, "settled");
    }
    expect([queue.leader(0), queue.withContent("x"), queue.size]).toEqual([undefined, undefined, 0]);
  });

  it("gives a row the priority of its most urgent request", () => {
    const [first, sharer, other] = [
      queued("a1", { contentKey: "x" }),
      queued("a2", { contentKey: "x", priority: "user-blocking" }),
      queued("a3"),
    ];
    const queue = queueOf(other, first);
    queue.attach(sharer, first);
    queue.setRank(first, 2);
    expect(queue.leader(0)?.item).toBe("a1");
    queue.setRank(sharer, 2);
    expect(queue.leader(0)).toBe(other);
    queue.setRank(first, 0);
    expect(queue.leader(0)?.item).toBe("a1");
  });

  it("defect 12: gives a row the earliest timeout of its queued requests", () => {
    const [first, sharer, other] = [
      queued("a1", { contentKey: "x" }),
      queued("a2", { contentKey: "x", timeoutAtMs: 50 }),
      queued("a3", { timeoutAtMs: 90 }),
    ];
    const queue = queueOf(first, other);
    queue.attach(sharer, first);
    expect([queue.leader(0)?.item, queue.leader(0)?.deadlineMs]).toEqual(["a1", 50]);
    queue.remove(sharer, "settled");
    expect([queue.leader(0)?.item, queue.size]).toEqual(["a3", 2]);
  });

  it("defect 19: removes the requests of a shared row in close to linear time", () => {
    const count = 2000;
    let reads = 0;
    const sharers = Array.from({ length: count }, (_, index) => {
      const sharer = queued(`a${index + 1}`, { contentKey: "x", timeoutAtMs: 1000 + index });
      let { rank } = sharer;
      const get = () => ((reads += 1), rank);
      return Object.defineProperty(sharer, "rank", {
        get,
        set(next: number) {
          rank = next;
        },
      });
    });
    const queue = queueOf(sharers[0]!);
    for (const sharer of sharers.slice(1)) queue.attach(sharer, queue.withContent("x")!);
    for (const sharer of sharers) queue.remove(sharer, "settled");
    expect(queue.size).toBe(0);
    expect(reads).toBeLessThan(20 * count);
  });

  it("defect 25: lowers the priority of a row to that of its remaining requests", () => {
    const [first, sharer, other] = [
      queued("a1", { contentKey: "x", priority: "background" }),
      queued("a2", { contentKey: "x", priority: "user-blocking" }),
      queued("a3"),
    ];
    const queue = queueOf(first, other);
    queue.attach(sharer, first);
    expect(queue.leader(0)?.item).toBe("a1");
    queue.remove(sharer, "settled");
    expect(queue.leader(0)).toBe(other);
  });
});

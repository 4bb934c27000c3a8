import { describe, expect, it } from "vitest";
import type { QueuedRequest } from "../src/core/queued-request.js";
import { RequestQueue } from "../src/core/request-queue.js";
import { queued } from "./support/queued.js";

function queueOf(...requests: QueuedRequest<string, string>[]): RequestQueue<string, string> {
  const queue = new RequestQueue<string, string>();
  for (const request of requests) queue.push(request);
  return queue;
}

const shape = (group: string, ...extents: number[]) => ({ shape: { group, extents } });

describe("the request queue", () => {
  it("has the most urgent priority lead, and within it the earliest due", () => {
    const queue = queueOf(
      queued("a1", { priority: "background", timeoutAtMs: 1 }),
      queued("a2"),
      queued("a3", { timeoutAtMs: 500 }),
    );
    expect(queue.leader(0)?.item).toBe("a3");
  });

  it("knows the oldest and the newest, whatever their priorities and deadlines", () => {
    const requests = [
      queued("a1", { priority: "background" }),
      queued("a2", { priority: "user-blocking", timeoutAtMs: 1 }),
      queued("a3"),
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

  it("takes the one who inherits a row for as old as it is, and not for the newest", () => {
    const [first, second, third] = [queued("a1", { contentKey: "x" }), queued("a2", { contentKey: "x" }), queued("a3")];
    const queue = queueOf(first);
    queue.attach(second, first);
    queue.push(third);
    queue.remove(first, "settled");
    expect([queue.oldest()?.item, queue.newest()?.item, queue.size]).toEqual(["a2", "a3", 2]);
    expect(queue.withContent("x")?.item).toBe("a2");
  });

  it("has lanes in the order of their sizes, of the same group only", () => {
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

  it("forgets the sizes of a lane that has emptied", () => {
    const [long, short] = [queued("a1", shape("x", 103)), queued("a2", shape("x", 97))];
    const queue = queueOf(long);
    queue.remove(long, "settled");
    queue.push(short);
    expect(queue.lanesAround(short).lanes.map(({ extents }) => extents)).toEqual([[97]]);
  });

  it("knows a key only while its request waits, be it on a row of another", () => {
    const [leader, rider] = [
      queued("a1", { contentKey: "x", key: "k1" }),
      queued("a2", { contentKey: "x", key: "k2" }),
    ];
    const queue = queueOf(leader);
    queue.attach(rider, leader);
    expect([queue.withKey("k1")?.item, queue.withKey("k2")?.item, queue.size]).toEqual(["a1", "a2", 1]);
    queue.remove(leader, "running");
    expect([queue.withKey("k1"), queue.withKey("k2"), queue.withContent("x")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("has all others of a row follow the one who inherits it, and the most urgent of them move it", () => {
    const riders = [queued("a2", { priority: "background" }), queued("a3", { priority: "user-blocking" })];
    const [first, other] = [queued("a1"), queued("a4")];
    const queue = queueOf(other, first);
    for (const rider of riders) queue.attach(rider, first);
    expect(queue.leader(0)).toBe(first);
    queue.remove(first, "settled");
    expect(queue.leader(0)).toBe(riders[0]);
    expect(riders[0]?.followers).toEqual([riders[1]]);
    expect(riders[1]?.leader).toBe(riders[0]);
    for (const request of [riders[0]!, other]) queue.remove(request, "running");
    expect([queue.size, queue.leader(0)]).toEqual([0, undefined]);
  });

  it("leaves a row as urgent as the most urgent of those on it", () => {
    const [first, rider, other] = [queued("a1"), queued("a2", { priority: "user-blocking" }), queued("a3")];
    const queue = queueOf(other, first);
    queue.attach(rider, first);
    queue.setRank(first, 2);
    expect(queue.leader(0)).toBe(first);
    queue.setRank(rider, 2);
    expect(queue.leader(0)).toBe(first);
    queue.setRank(first, 2);
    expect(queue.leader(0)).toBe(other);
  });
});

import { describe, expect, it } from "vitest";
import type { QueuedRequest } from "./queued-request.js";
import { UrgencyQueue } from "./urgency-queue.js";
import { queued } from "../../test/support/queued.js";

type Request = QueuedRequest<string, string>;
const VISIBLE = 1;
const BACKGROUND = 2;

function settle(queue: UrgencyQueue<string, string>, request: Request): void {
  request.state = "settled";
  queue.removed(request.rank);
}

function move(queue: UrgencyQueue<string, string>, request: Request, rank: number): void {
  const before = request.rank;
  request.rank = rank;
  queue.push(request);
  queue.removed(before);
}

/** Removes every request of a rank in order, and returns their items. */
function taken(queue: UrgencyQueue<string, string>, rank: number): string[] {
  const items: string[] = [];
  for (let head = queue.head(rank); head !== undefined; head = queue.head(rank)) {
    items.push(head.item);
    settle(queue, head);
  }
  return items;
}

function queueOf(requests: readonly Request[]): UrgencyQueue<string, string> {
  const queue = new UrgencyQueue<string, string>();
  for (const request of requests) queue.push(request);
  return queue;
}

describe("an urgency queue", () => {
  it("returns the earliest deadline first, and the first to arrive among equals", () => {
    const requests = [queued("a1"), queued("a2", { timeoutAtMs: 30 }), queued("a3", { timeoutAtMs: 20 }), queued("a4")];
    expect(taken(queueOf(requests), VISIBLE)).toEqual(["a3", "a2", "a1", "a4"]);
  });

  it("has the first request of the highest priority first", () => {
    const requests = [queued("a1", { rank: BACKGROUND, timeoutAtMs: 5 }), queued("a2"), queued("a3")];
    const queue = queueOf(requests);
    expect(queue.first()?.item).toBe("a2");
    for (const request of requests.slice(1)) settle(queue, request);
    expect(queue.first()?.item).toBe("a1");
    settle(queue, requests[0]!);
    expect(queue.first()).toBeUndefined();
  });

  it("uses the earlier of timeout and objective as the deadline, and a default patience at most", () => {
    expect(queued("a1", { timeoutAtMs: 30, objectiveAtMs: 20 }).dueMs).toBe(20);
    expect(queued("a1", { timeoutAtMs: 15, objectiveAtMs: 20 }).dueMs).toBe(15);
    expect(queued("a1", { enqueuedAtMs: 5 }).dueMs).toBe(10_005);
    expect(queued("a1", { timeoutAtMs: 60_000 }).dueMs).toBe(10_000);
  });

  it("skips removed requests at any position", () => {
    const requests = ["a1", "a2", "a3", "a4"].map((item) => queued(item));
    const queue = queueOf(requests);
    for (const index of [0, 2]) settle(queue, requests[index]!);
    expect(queue.size).toBe(2);
    expect(taken(queue, VISIBLE)).toEqual(["a2", "a4"]);
    expect(queue.size).toBe(0);
  });

  it("counts and returns a request only once after it moves to another priority and back", () => {
    const requests = ["a1", "a2"].map((item) => queued(item));
    const queue = queueOf(requests);
    for (const rank of [BACKGROUND, VISIBLE, BACKGROUND, VISIBLE]) move(queue, requests[0]!, rank);
    expect(queue.size).toBe(2);
    expect(taken(queue, BACKGROUND)).toEqual([]);
    expect(taken(queue, VISIBLE)).toEqual(["a1", "a2"]);
  });
});

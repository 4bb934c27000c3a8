import { describe, expect, it } from "vitest";
import { queued } from "../../test/support/queued.js";
import { PlainQueue } from "./lanes.js";
import { BACKGROUND, type QueuedRequest, USER_VISIBLE } from "./request.js";

/** A queue of requests that arrived one millisecond after the other. */
function queueOf(count: number) {
  const queue = new PlainQueue<string, string>();
  const all = Array.from({ length: count }, (_, index) =>
    queued(String(index), { sequence: index, enqueuedAtMs: index }),
  );
  for (const request of all) queue.push(request);
  return { queue, all };
}

function leave(queue: PlainQueue<string, string>, request: QueuedRequest<string, string>): void {
  request.state = "running";
  queue.removed();
}

describe("a plain queue", () => {
  it("takes any first request, and others that are like it and are due after it", () => {
    expect(new PlainQueue().takes(queued("a", { rank: BACKGROUND }))).toBe(true);
    const { queue } = queueOf(2);
    const next = { sequence: 2, enqueuedAtMs: 2 };
    expect(queue.takes(queued("next", next))).toBe(true);
    expect(queue.takes(queued("background", { ...next, rank: BACKGROUND }))).toBe(false);
    expect(queue.takes(queued("due sooner", { ...next, timeoutAtMs: 5 }))).toBe(false);
    expect(queue.takes(queued("in an older one's place", { ...next, sequence: 0 }))).toBe(false);
    expect(queue.takes(queued("larger", { ...next, shape: { group: "", extents: [8] } }))).toBe(false);
    expect(queue.takes(queued("of another group", { ...next, shape: { group: "b", extents: [] } }))).toBe(false);
  });

  it("leads with the oldest that is still queued, and is empty after the last", () => {
    const { queue, all } = queueOf(3);
    leave(queue, all[1]!);
    expect([queue.first(), queue.size]).toEqual([all[0], 2]);
    leave(queue, all[0]!);
    expect([queue.head(USER_VISIBLE), queue.head(BACKGROUND), queue.urgent]).toEqual([all[2], undefined, 1]);
    leave(queue, all[2]!);
    expect([queue.first(), queue.size, queue.extents]).toEqual([undefined, 0, []]);
  });

  it("hands over all that are queued, in the order of their arrival", () => {
    const { queue, all } = queueOf(4);
    leave(queue, all[0]!);
    leave(queue, all[2]!);
    expect(queue.takeAll()).toEqual([all[1], all[3]]);
    expect([queue.size, queue.takeAll()]).toEqual([0, []]);
  });

  it("keeps no more than a bounded number of requests that have left", () => {
    const { queue, all } = queueOf(1000);
    for (const request of all.slice(1)) leave(queue, request);
    expect([queue.first(), queue.size]).toEqual([all[0], 1]);
    expect(queue.takes(queued("next", { sequence: 1000, enqueuedAtMs: 1000 }))).toBe(true);
  });
});

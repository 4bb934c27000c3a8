import type { CompletedBatch } from "framebatch";
import { expect, test } from "vitest";
import { batchAt, batchRows, ridersOf, timelineWindow, waitingByColumn } from "../src/instruments/timeline-window.js";

const batch = (id: number, dispatchedAtMs: number, completedAtMs: number): CompletedBatch => ({
  id,
  origin: "device",
  size: 1,
  paddedSize: 1,
  reason: "idle",
  dispatchedAtMs,
  completedAtMs,
  inferenceMs: 1,
});
const request = (caller: string, askedAtMs: number, leftAtMs: number | null, batchId: number | null = null) => ({
  caller,
  askedAtMs,
  leftAtMs,
  batchId,
});
const frame = (atMs: number) => ({ atMs, dropped: 0 });

test("a window contains only entries that overlap its two seconds", () => {
  const log = {
    requests: [request("old", 100, 900), request("across", 900, 1100), request("open", 2500, null)],
    batches: [batch(2, 2000, 2100), batch(1, 900, 1001), batch(0, 100, 999)],
    frames: [frame(999), frame(1000), frame(3001)],
  };
  const view = timelineWindow(log, 3000);
  expect(view.requests.map(({ caller }) => caller)).toEqual(["across", "open"]);
  expect(view.batches.map(({ id }) => id)).toEqual([1, 2]);
  expect(view.frames.map(({ atMs }) => atMs)).toEqual([1000]);
});

test("a column counts the requests queued in it; open requests count until now", () => {
  const view = timelineWindow(
    { requests: [request("a", 0, 900), request("b", 600, 1100), request("c", 1600, null)], batches: [], frames: [] },
    2000,
  );
  expect([...waitingByColumn(view, 4)]).toEqual([1, 2, 1, 1]);
});

test("batches in flight at the same time get separate rows, and free rows are reused", () => {
  expect(batchRows([batch(1, 0, 10), batch(2, 5, 15), batch(3, 10, 20), batch(4, 16, 18)])).toEqual([0, 1, 0, 1]);
});

test("pointing selects the batch that runs at that time, or the nearest one", () => {
  const view = timelineWindow({ requests: [], batches: [batch(1, 100, 200), batch(2, 500, 600)], frames: [] }, 2000);
  expect([150, 300, 400, 1900].map((atMs) => batchAt(view, atMs)?.id)).toEqual([1, 1, 2, 2]);
  expect(batchAt(timelineWindow({ requests: [], batches: [], frames: [] }, 2000), 5)).toBeNull();
});

test("the requests of a batch are found by its id", () => {
  const view = timelineWindow(
    { requests: [request("a", 1, 2, 7), request("b", 1, 2, 8), request("c", 1, 2, 7)], batches: [], frames: [] },
    2000,
  );
  expect(ridersOf(view, batch(7, 2, 3)).map(({ caller }) => caller)).toEqual(["a", "c"]);
});

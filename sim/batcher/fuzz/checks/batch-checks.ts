import { AGED_AFTER_MS } from "@framebatch/batcher/queue/request-queue.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import type { FuzzRequest } from "../fuzz-request.js";
import type { Scenario } from "../scenario.js";
import { hold } from "./violation.js";

type Options = Scenario["batcher"];

/** I-3: the engine can run the batch as it is. */
export function checkForm({ items, paddedSize, extents }: Batch<FuzzRequest>, options: Options): void {
  const limit = options.release === "off" ? 1 : options.maxBatchSize;
  hold(
    items.length >= 1 && items.length <= limit,
    "I-3",
    () => `a batch of ${items.length}, where ${limit} is the most`,
  );
  const allowed = options.allowedBatchSizes;
  const isAllowed = allowed === undefined ? paddedSize === items.length : allowed.includes(paddedSize);
  hold(isAllowed && paddedSize >= items.length, "I-3", () => `${items.length} items padded to ${paddedSize}`);
  const group = items[0]?.shape.group;
  for (const { shape } of items) {
    hold(shape.group === group, "I-3", () => `groups ${group} and ${shape.group} in one batch`);
    const fits = shape.extents.every((extent, axis) => extent <= (extents[axis] ?? 0));
    hold(fits, "I-3", () => "an item larger than its batch");
  }
}

/**
 * I-4: within a priority, requests with a deadline are ordered by it, and requests without one by arrival. No request
 * waits for a lower priority. Both hold unless it is the turn of an aged request.
 */
export function checkOrder(
  taken: readonly FuzzRequest[],
  left: ReadonlySet<FuzzRequest>,
  nowMs: number,
  { maxLatencyMs = Infinity }: Options,
): void {
  // The oldest may be due late: a request that supersedes another one has its place, and a deadline of its own.
  const oldest = taken.reduce((best, other) => (other.place < best.place ? other : best));
  const isTurnOfOldest = nowMs - oldest.waitingSinceMs >= AGED_AFTER_MS;
  const lastTaken = new Map<string, Place>();
  let lowest = 0;
  for (const request of taken) {
    lowest = Math.max(lowest, request.rank);
    if (isTurnOfOldest && request === oldest) continue;
    const place = placeOf(request, maxLatencyMs);
    const last = lastTaken.get(place.line);
    if (last === undefined || precedes(last, place)) lastTaken.set(place.line, place);
  }
  const isAgedTurn = taken.some(
    ({ rank, waitingSinceMs }) => rank === lowest && nowMs - waitingSinceMs >= AGED_AFTER_MS,
  );
  for (const request of left) {
    // The request may be refused already, although its rejection has not reached the witness yet.
    if (request.isExpectedOut === null && request.enqueuedAtMs === nowMs) continue;
    const place = placeOf(request, maxLatencyMs);
    const last = lastTaken.get(place.line);
    const keepsOrder = last === undefined || precedes(last, place);
    hold(keepsOrder, "I-4", () => `request ${request.id} was overtaken by ${last?.id}, of its own priority`);
    hold(request.rank >= lowest || isAgedTurn, "I-4", () => `request ${request.id} was overtaken by a lower priority`);
  }
}

/** The queue orders a request without a deadline as if it had one this long after its arrival, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * I-20: the dispatched batch contains the most urgent row, unless it is the turn of the row that has waited longest.
 */
export function checkLeader(
  taken: readonly FuzzRequest[],
  left: ReadonlySet<FuzzRequest>,
  nowMs: number,
  { maxLatencyMs = Infinity, dedupe }: Options,
): void {
  const urgency = (row: Row): number[] => {
    return [row.rank, Math.min(dueOf(row, maxLatencyMs), row.waitingSinceMs + PATIENCE_MS), row.place];
  };
  const rows = rowsOf(taken, dedupe);
  const first = rows.reduce((best, other) => (isLess(urgency(other), urgency(best)) ? other : best));
  const oldest = rows.reduce((best, other) => (other.place < best.place ? other : best));
  const isKnown = ({ isExpectedOut, enqueuedAtMs }: FuzzRequest): boolean =>
    isExpectedOut !== null || enqueuedAtMs < nowMs;
  const known = rowsOf([...left].filter(isKnown), dedupe);
  const isAgedTurn = nowMs - oldest.waitingSinceMs >= AGED_AFTER_MS && known.every(({ place }) => place > oldest.place);
  for (const row of known) {
    const isLater = isAgedTurn || isLess(urgency(first), urgency(row));
    hold(isLater, "I-20", () => `request ${row.id} is more urgent than ${first.id}, and was left behind`);
  }
}

type Row = Pick<FuzzRequest, "id" | "rank" | "timeoutAtMs" | "enqueuedAtMs" | "isLimited" | "waitingSinceMs" | "place">;

function dueOf(
  { timeoutAtMs, enqueuedAtMs, isLimited }: Pick<Row, "timeoutAtMs" | "enqueuedAtMs" | "isLimited">,
  maxLatencyMs: number,
) {
  return Math.min(timeoutAtMs, isLimited ? enqueuedAtMs + maxLatencyMs : Infinity);
}

/**
 * With `dedupe`, requests with the same content form one row: as old as the first, as urgent as the most urgent, and
 * due at the earliest limit.
 */
function rowsOf(requests: readonly FuzzRequest[], dedupe: boolean): readonly Row[] {
  if (!dedupe) return requests;
  const rows = new Map<number, Row>();
  for (const request of requests.toSorted((a, b) => a.id - b.id)) {
    const { content, rank, timeoutAtMs } = request;
    const row = rows.get(content) ?? request;
    const [most, limit] = [Math.min(row.rank, rank), Math.min(row.timeoutAtMs, timeoutAtMs)];
    rows.set(content, { ...row, rank: most, timeoutAtMs: limit });
  }
  return [...rows.values()];
}

function isLess(a: readonly number[], b: readonly number[]): boolean {
  const index = a.findIndex((value, place) => value !== b[place]);
  return index >= 0 && a[index]! < b[index]!;
}

interface Place {
  /** Requests of the same line have a defined order. */
  readonly line: string;
  readonly dueMs: number;
  readonly place: number;
  readonly id: number;
}

function placeOf(request: FuzzRequest, maxLatencyMs: number): Place {
  const { rank, id, place } = request;
  const dueMs = dueOf(request, maxLatencyMs);
  return { line: `${rank} ${dueMs === Infinity}`, dueMs, place, id };
}

function precedes(a: Place, b: Place): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.place < b.place);
}

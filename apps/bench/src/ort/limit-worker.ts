import { fullBatches } from "./full-batches.js";
import type { LimitReply, LimitRequest } from "./limit-protocol.js";
import { createOrtSession, type OrtSession } from "./ort-session.js";
import { fastestSize, measureRates, type RatePoint } from "./rate-curve.js";
import type { BenchItem, Numbers } from "./tensors.js";

/** A session with its measured rates. */
class LimitHost {
  readonly #session: OrtSession;
  readonly #items: readonly BenchItem[];
  readonly #curve: readonly RatePoint[];
  /** The loop of each batch size, so that a slice continues where the previous one ended. */
  readonly #loops = new Map<number, () => Promise<Numbers>>();

  private constructor(session: OrtSession, items: readonly BenchItem[], curve: readonly RatePoint[]) {
    this.#session = session;
    this.#items = items;
    this.#curve = curve;
  }

  static async open({ url, backend, items }: Extract<LimitRequest, { kind: "open" }>): Promise<LimitHost> {
    const session = await createOrtSession(url, backend);
    const sorted = items.toSorted((a, b) => lengthOf(a) - lengthOf(b));
    const curve = await measureRates((size) => spread(prepareAll(session, sorted, size)));
    return new LimitHost(session, sorted, curve);
  }

  answer(item: BenchItem): Promise<Numbers> {
    return this.#session.prepare([item])();
  }

  async drive(maxBatchSize: number, sliceMs: number): Promise<Extract<LimitReply, { kind: "driven" }>> {
    const batchSize = fastestSize(this.#curve, maxBatchSize);
    const runNext = this.#loopOf(batchSize);
    const startMs = performance.now();
    let elapsedMs = 0;
    let predictions = 0;
    while (elapsedMs < sliceMs) {
      await runNext();
      predictions += batchSize;
      elapsedMs = performance.now() - startMs;
    }
    return { kind: "driven", predictions, elapsedMs, batchSize };
  }

  #loopOf(batchSize: number): () => Promise<Numbers> {
    const loop = this.#loops.get(batchSize) ?? inTurns(scattered(prepareAll(this.#session, this.#items, batchSize)));
    this.#loops.set(batchSize, loop);
    return loop;
  }
}

function prepareAll(session: OrtSession, items: readonly BenchItem[], size: number): (() => Promise<Numbers>)[] {
  return fullBatches(items, size).map((batch) => session.prepare(batch));
}

/**
 * Maximum number of batches in a sample. They are evenly spaced, so that their mean duration matches that of all
 * batches.
 */
const SPREAD = 8;

function spread<Batch>(batches: readonly Batch[]): Batch[] {
  const count = Math.min(SPREAD, batches.length);
  return Array.from({ length: count }, (_, index) => batches[Math.floor(((index + 0.5) * batches.length) / count)]!);
}

const GOLDEN_SECTION = 0.618034;

/** Reorders batches so that any few in a row have varied lengths, since a slice may be too short for all batches. */
function scattered<Batch>(batches: readonly Batch[]): Batch[] {
  const placed = batches.map((batch, index) => ({ batch, place: (index * GOLDEN_SECTION) % 1 }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ batch }) => batch);
}

/** Returns a function that runs the next batch, round-robin. */
function inTurns(batches: readonly (() => Promise<Numbers>)[]): () => Promise<Numbers> {
  let next = 0;
  return () => batches[next++ % batches.length]!();
}

function lengthOf(item: BenchItem): number {
  return Object.values(item).reduce((sum, { data }) => sum + data.length, 0);
}

let host: LimitHost | undefined;

async function reply(request: LimitRequest): Promise<LimitReply> {
  if (request.kind === "open") {
    host = await LimitHost.open(request);
    return { kind: "opened" };
  }
  if (host === undefined) throw new Error("Expected an open session first.");
  if (request.kind === "answer") return { kind: "answered", data: await host.answer(request.item) };
  return host.drive(request.maxBatchSize, request.sliceMs);
}

self.onmessage = ({ data }: MessageEvent<LimitRequest>) => {
  reply(data).then(
    (message) => self.postMessage(message),
    (error: unknown) => self.postMessage({ kind: "failed", message: String(error) } satisfies LimitReply),
  );
};

import { createOrtSession, type OrtSession } from "./ort-session.js";
import type { LimitReply, LimitRequest } from "./limit-protocol.js";
import { fastestSize, measureRates, type RatePoint } from "./rate-curve.js";

/** A session and what is known of its speed. */
class LimitHost {
  readonly #session: OrtSession;
  readonly #itemLength: number;
  readonly #curve: readonly RatePoint[];

  private constructor(session: OrtSession, itemLength: number, curve: readonly RatePoint[]) {
    this.#session = session;
    this.#itemLength = itemLength;
    this.#curve = curve;
  }

  static async open(request: Extract<LimitRequest, { kind: "open" }>): Promise<LimitHost> {
    const session = await createOrtSession(request.url, request.backend, { name: request.input, dims: request.dims });
    const itemLength = request.dims.reduce((product, size) => product * size, 1);
    const curve = await measureRates((size) => session.prepare(filled(size * itemLength), size));
    return new LimitHost(session, itemLength, curve);
  }

  answer(data: Float32Array): Promise<Float32Array> {
    return this.#session.prepare(data, 1)();
  }

  async drive(maxBatchSize: number, sliceMs: number): Promise<Extract<LimitReply, { kind: "driven" }>> {
    const batchSize = fastestSize(this.#curve, maxBatchSize);
    const runOnce = this.#session.prepare(filled(batchSize * this.#itemLength), batchSize);
    const startMs = performance.now();
    let elapsedMs = 0;
    let predictions = 0;
    while (elapsedMs < sliceMs) {
      await runOnce();
      predictions += batchSize;
      elapsedMs = performance.now() - startMs;
    }
    return { kind: "driven", predictions, elapsedMs, batchSize };
  }
}

function filled(length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => (index % 97) / 97);
}

let host: LimitHost | undefined;

async function reply(request: LimitRequest): Promise<LimitReply> {
  if (request.kind === "open") {
    host = await LimitHost.open(request);
    return { kind: "opened" };
  }
  if (host === undefined) throw new Error("Expected an open session first.");
  if (request.kind === "answer") return { kind: "answered", data: await host.answer(request.data) };
  return host.drive(request.maxBatchSize, request.sliceMs);
}

self.onmessage = ({ data }: MessageEvent<LimitRequest>) => {
  reply(data).then(
    (message) => self.postMessage(message),
    (error: unknown) => self.postMessage({ kind: "failed", message: String(error) } satisfies LimitReply),
  );
};

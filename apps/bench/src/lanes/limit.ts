import type { LimitReply, LimitRequest } from "../ort/limit-protocol.js";
import type { Lane, SelfDrivenLane } from "./lane.js";

/** The limit: a loop in a worker at the best batch size, with prepared inputs and without messages per run. */
export const limit: Lane = {
  name: "limit",
  async open(model, backend, items): Promise<SelfDrivenLane> {
    const worker = new Worker(new URL("../ort/limit-worker.ts", import.meta.url), { type: "module" });
    const ask = requests(worker);
    const url = new URL(model.url, location.href).href;
    await ask({ kind: "open", url, backend, items });
    return {
      kind: "self-driven",
      async drive(maxBatchSize, sliceMs) {
        const reply = await ask({ kind: "drive", maxBatchSize, sliceMs });
        if (reply.kind !== "driven") throw new Error(`Expected a driven slice, got ${reply.kind}.`);
        return reply;
      },
      async answer(item) {
        const reply = await ask({ kind: "answer", item });
        if (reply.kind !== "answered") throw new Error(`Expected an answer, got ${reply.kind}.`);
        return reply.data;
      },
      close() {
        worker.terminate();
        return Promise.resolve();
      },
    };
  },
};

/** Sends one request at a time. The worker answers in order and sends nothing else. */
function requests(worker: Worker): (request: LimitRequest) => Promise<LimitReply> {
  return (request) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<LimitReply>) =>
        data.kind === "failed" ? reject(new Error(data.message)) : resolve(data);
      worker.onerror = (event) =>
        reject(new Error(event.message || "The worker of the limit lane could not be loaded."));
      worker.postMessage(request);
    });
}

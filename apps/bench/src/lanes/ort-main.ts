import { createOrtSession, type OrtSession } from "../ort/ort-session.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { CalledLane, Lane } from "./lane.js";

/** onnxruntime-web called directly on the main thread, one run at a time: its sessions allow no more. */
export const ortMain: Lane = {
  name: "ort-main",
  async open(model, backend): Promise<CalledLane> {
    const session = await createOrtSession(model.url, backend);
    const run = oneAtATime(session);
    return {
      kind: "called",
      predict: run,
      answer: (item) => run(item),
      resetCounts: () => {},
      counts: () => null,
      curve: () => null,
      close: () => session.release(),
    };
  },
};

function oneAtATime(session: OrtSession) {
  let last: Promise<unknown> = Promise.resolve();
  return (item: BenchItem, signal?: AbortSignal): Promise<Numbers> => {
    const result = last.then(() => {
      signal?.throwIfAborted();
      return session.prepare([item])();
    });
    last = result.catch(() => {});
    return result;
  };
}

import { createOrtSession, type OrtSession } from "../ort/ort-session.js";
import type { BenchItem, Numbers } from "../ort/tensors.js";
import type { AskOptions, CalledLane, Lane } from "./lane.js";

/** onnxruntime-web on the main thread, one run at a time, since its sessions do not support more. */
export const ortMain: Lane = {
  name: "ort-main",
  async open(model, backend): Promise<CalledLane> {
    const session = await createOrtSession(model.url, backend);
    const run = oneAtATime(session);
    return {
      kind: "called",
      predict: run,
      answer: run,
      resetCounts: () => {},
      counts: () => null,
      curve: () => null,
      close: () => session.release(),
    };
  },
};

function oneAtATime(session: OrtSession) {
  let last: Promise<unknown> = Promise.resolve();
  return (item: BenchItem, { signal }: AskOptions = {}): Promise<Numbers> => {
    const result = last.then(() => {
      signal?.throwIfAborted();
      return session.prepare([item])();
    });
    last = result.catch(() => {});
    return result;
  };
}

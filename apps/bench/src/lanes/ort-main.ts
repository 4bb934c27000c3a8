import type { BenchItem } from "../items.js";
import { createOrtSession, type OrtSession } from "../ort/ort-session.js";
import type { CalledLane, Lane } from "./lane.js";

/** onnxruntime-web called directly on the main thread, one run at a time: its sessions allow no more. */
export const ortMain: Lane = {
  name: "ort-main",
  async open(model, backend): Promise<CalledLane> {
    const session = await createOrtSession(model.url, backend, { name: model.input, dims: model.dims });
    const run = oneAtATime(session, model.input);
    return {
      kind: "called",
      predict: run,
      answer: (item) => run(item),
      resetCounts: () => {},
      counts: () => null,
      close: () => session.release(),
    };
  },
};

function oneAtATime(session: OrtSession, input: string) {
  let last: Promise<unknown> = Promise.resolve();
  return (item: BenchItem, signal?: AbortSignal): Promise<Float32Array> => {
    const result = last.then(() => {
      signal?.throwIfAborted();
      return session.prepare(item[input] ?? new Float32Array(), 1)();
    });
    last = result.catch(() => {});
    return result;
  };
}

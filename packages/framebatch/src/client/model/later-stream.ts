import type { ModelQueue } from "@framebatch/batcher/calls/model-queue.js";
import type { Source } from "@framebatch/batcher/calls/source-reader.js";
import type { StreamSettings } from "@framebatch/batcher/calls/stream-requests.js";
import { checkListOptions } from "@framebatch/batcher/options/predict-options.js";
import { type LaterCode, loadLater } from "./load-later.js";

/**
 * The results of a stream, whose code loads first. A stream that is stopped meanwhile ends at once.
 * @throws INVALID_OPTION for a wrong option; RUNTIME_LOAD_FAILED when the code cannot be loaded; the errors of the stream
 */
export async function* laterStream<Input, Row, Output>(
  source: Source<Input>,
  queue: ModelQueue<Row, Output>,
  settings: StreamSettings<Input, Row>,
): AsyncGenerator<Output, void, undefined> {
  checkListOptions(settings.options, settings.checkOptions);
  const { streamOf } = await loadedFor(queue, settings.options.signal);
  yield* streamOf(source, queue, settings);
}

/** Loads the code. Rejects as soon as the stream is stopped: nothing says how long a network takes. */
async function loadedFor(queue: StoppableQueue, signal: AbortSignal | undefined): Promise<LaterCode> {
  let ignore = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    const look = () => {
      if (signal?.aborted) reject(signal.reason);
      else if (queue.disposedWith !== null) reject(queue.disposedWith);
    };
    const ignoreRoom = queue.streamRoom.onChange(look);
    signal?.addEventListener("abort", look);
    ignore = () => {
      ignoreRoom();
      signal?.removeEventListener("abort", look);
    };
    look();
  });
  try {
    return await Promise.race([stopped, loadLater()]);
  } finally {
    ignore();
  }
}

interface StoppableQueue extends Pick<ModelQueue<unknown, unknown>, "disposedWith"> {
  readonly streamRoom: Pick<ModelQueue<unknown, unknown>["streamRoom"], "onChange">;
}

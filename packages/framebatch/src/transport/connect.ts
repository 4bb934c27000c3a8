import { releaseProxy, transfer, wrap } from "comlink";
import { marked, ownMessage } from "./own-messages.js";
import type { PageNotice } from "./page-notices.js";
import type { LoadReply, RunAnswer, WorkerApi, WorkerNotice } from "./protocol.js";
import { SentRuns } from "./runs.js";
import type { SharedSlots } from "./shared-memory.js";
import type { Transport, TransportListener, WorkerEndpoint } from "./transport.js";

/** The calls that Comlink carries. Runs have messages of their own: a proxy costs each of them some microseconds. */
export type ControlApi = Omit<WorkerApi, "run">;

/** Loads the code for shared memory. */
export type LoadSharedMemory = () => Promise<Pick<typeof import("./shared-memory.js"), "SharedSlots">>;

/**
 * Connects the page to a worker. Notices and runs are plain messages, which Comlink ignores because they have no `id`.
 * Messages of other code, between a page and its own worker, are left alone.
 * @param loadMemory without it, or if it fails, all runs are messages
 */
export function connect(worker: WorkerEndpoint, listener: TransportListener, loadMemory?: LoadSharedMemory): Transport {
  const post = (message: object, moved: Transferable[] = []) => worker.postMessage(marked(message), moved);
  // The proxy is held until the worker ends: Comlink drops the calls of a garbage-collected proxy.
  // It hears the messages of other code too, but none has the random number of one of its calls.
  const remote = wrap<ControlApi>({
    postMessage: post,
    addEventListener: worker.addEventListener.bind(worker),
    removeEventListener: worker.removeEventListener.bind(worker),
  });
  const { load, recall, learn } = remote;
  const runs = new SentRuns(post);
  const onMessage = (event: Event) => {
    const data = ownMessage(event);
    if (data === null) return;
    if (isAnswer(data)) runs.answered(data);
    else if (isWorkerNotice(data)) listener.onNotice(data);
  };
  const onError = (event: Event) => {
    event.preventDefault();
    listener.onError("message" in event && event.message !== "" ? String(event.message) : null);
  };
  let hasEnded = false;
  const listeners = { message: onMessage, error: onError, messageerror: () => listener.onUnreadable() };
  for (const [type, hear] of Object.entries(listeners)) worker.addEventListener(type, hear);
  return {
    calls: {
      load: async (request, moved = []) => {
        // Items for handlers are no tensors, so they do not fit into shared memory.
        const mayShare = mayShareMemory(worker) && request.served === "nothing";
        const code = mayShare ? loadMemory?.().catch(() => undefined) : undefined;
        const reply = await load(transfer(request, moved));
        // The model does not wait for the code: until it arrives, runs are messages.
        void code?.then((loaded) => share(reply, loaded?.SharedSlots)).catch(() => undefined);
        return reply;
      },
      run: (request, moved, onAnswer) => runs.run(request, moved, onAnswer),
      recall: (ids) => recall(ids),
      learn: (request) => learn(request),
    },
    notify: (notice, moved) => post(notice, moved),
    collect: () => runs.collect(),
    abandon: (wasMerged) => worker.abandon?.(wasMerged),
    terminate() {
      hasEnded = true;
      for (const [type, hear] of Object.entries(listeners)) worker.removeEventListener(type, hear);
      worker.terminate();
      runs.end();
      // Frees the worker object: Comlink holds it as long as the proxy, and unanswered calls would hold the proxy.
      remote[releaseProxy]();
    },
  };

  function share(reply: LoadReply, Slots: typeof SharedSlots | undefined): void {
    if (hasEnded || reply.outcome !== "ready" || Slots === undefined) return;
    const slots = new Slots(reply.model.signature.outputs, runs.answered);
    runs.use(slots);
    post({ shared: slots.memory } satisfies PageNotice);
  }
}

/** Whether the page can share memory with a worker and wait for it without blocking. */
function mayShareMemory({ isShared }: WorkerEndpoint): boolean {
  return isShared !== true && globalThis.crossOriginIsolated && "waitAsync" in Atomics;
}

function isAnswer(data: object): data is RunAnswer {
  return "ran" in data;
}

function isWorkerNotice(data: object): data is WorkerNotice {
  return "notice" in data;
}

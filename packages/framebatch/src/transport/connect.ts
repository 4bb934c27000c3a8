import { releaseProxy, transfer, wrap } from "comlink";
import {
  isOwnMessage,
  marked,
  type Mark,
  type Transport,
  type TransportListener,
  type WorkerEndpoint,
} from "./transport.js";
import type { PageNotice } from "./page-notices.js";
import type { LoadReply, RunAnswer, RunMessage, WorkerApi, WorkerNotice } from "./protocol.js";
import type { SharedSlots } from "./shared-memory.js";

/** The calls that Comlink carries. Runs have messages of their own: a proxy costs each of them some microseconds. */
export type ControlApi = Omit<WorkerApi, "run">;

/** A way for runs beside messages. */
export interface FastLane {
  /** Sends a run. Returns false if it must go by message. */
  send(message: RunMessage): boolean;
  /** Takes the answers that the worker has given, and that the page has not noticed yet. */
  collect(): void;
  /** Ends every wait after the worker has ended. */
  end(): void;
}

/** What a worker sends. What is neither an answer nor a notice is Comlink's. */
type WorkerMessage = RunAnswer | WorkerNotice | { readonly id: string };

/** Loads the code for shared memory. */
export type LoadSharedMemory = () => Promise<Pick<typeof import("./shared-memory.js"), "SharedSlots">>;

/**
 * Connects the page to a worker. Notices and runs are plain messages, which Comlink does not hear. Messages of other
 * code, between a page and its own worker, are left alone.
 * @param loadMemory without it, or if it fails, all runs are messages
 */
export function connect(worker: WorkerEndpoint, listener: TransportListener, loadMemory?: LoadSharedMemory): Transport {
  const post = (message: object, moved: Transferable[] = []) => worker.postMessage(marked(message), moved);
  // The proxy is held until the worker ends: Comlink drops the calls of a garbage-collected proxy.
  const { remote, hearReply } = control(worker);
  const { load, recall, learn } = remote;
  let runs = 0;
  let fastLane: FastLane | null = null;
  const onMessage = (event: Event) => {
    if (!isOwnMessage<WorkerMessage>(event)) return;
    const { data } = event;
    if ("ran" in data) listener.onAnswer(data);
    else if ("notice" in data) listener.onNotice(data);
    else hearReply(event);
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
      recall: (ids) => recall(ids),
      learn: (request) => learn(request),
    },
    run(request, moved) {
      const run = runs + 1;
      if (fastLane?.send({ run, request }) !== true) {
        const message: RunMessage & Mark = { run, request, isFramebatch: true };
        worker.postMessage(message, moved);
      }
      // A run that could not be sent has no number.
      runs = run;
      return run;
    },
    notify: (notice, moved) => post(notice, moved),
    collect: () => fastLane?.collect(),
    abandon: (wasMerged) => worker.abandon?.(wasMerged),
    terminate() {
      hasEnded = true;
      for (const [type, hear] of Object.entries(listeners)) worker.removeEventListener(type, hear);
      worker.terminate();
      fastLane?.end();
      // Frees the worker object: Comlink holds it as long as the proxy, and unanswered calls would hold the proxy.
      remote[releaseProxy]();
    },
  };

  function share(reply: LoadReply, Slots: typeof SharedSlots | undefined): void {
    if (hasEnded || reply.outcome !== "ready" || Slots === undefined) return;
    const slots = new Slots(reply.model.signature.outputs, (answer) => listener.onAnswer(answer));
    fastLane = slots;
    post({ shared: slots.memory } satisfies PageNotice);
  }
}

/**
 * Returns Comlink's proxy of a worker, and what tells it of a reply: it hears nothing else. Comlink's registry holds
 * the endpoint while a proxy of it lives, so the endpoint must lead to no proxy: none would ever be garbage, nor the
 * worker. That is why its functions are not those of `connect`, which share all that any of them uses.
 */
function control(worker: WorkerEndpoint) {
  let hear = (_event: Event): void => undefined;
  const remote = wrap<ControlApi>({
    postMessage: (message: object, moved = []) => worker.postMessage(marked(message), moved),
    addEventListener: (_type, listener) => typeof listener === "function" && (hear = listener),
    removeEventListener: () => undefined,
  });
  return { remote, hearReply: (event: Event) => hear(event) };
}

/** Whether the page can share memory with a worker and wait for it without blocking. */
function mayShareMemory({ isShared }: WorkerEndpoint): boolean {
  return isShared !== true && globalThis.crossOriginIsolated && "waitAsync" in Atomics;
}

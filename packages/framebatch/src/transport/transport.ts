import type { LoadReply, PageNotice, RunAnswer, RunMessage, RunRequest, WorkerApi, WorkerNotice } from "./protocol.js";
import { releaseProxy, transfer, wrap } from "comlink";
import type { SharedSlots } from "./shared-memory.js";

/** The calls to one worker, by name. The objects in `transfer` are detached. */
export type WorkerCalls = {
  readonly [Name in keyof Omit<WorkerApi, "run">]: (
    request: Parameters<WorkerApi[Name]>[0],
    transfer?: Transferable[],
  ) => Promise<Awaited<ReturnType<WorkerApi[Name]>>>;
};

/**
 * The page's side of the connection to one worker. Calls stay pending when the worker dies; `WorkerClient` rejects
 * them.
 */
export interface Transport {
  readonly calls: WorkerCalls;
  /**
   * Sends a run. Returns the number by which it is answered.
   * @throws a DataCloneError when structured cloning cannot copy it
   */
  run(request: RunRequest, transfer: Transferable[]): number;
  /** Posts a message that has no reply. @throws a DataCloneError when structured cloning cannot copy it */
  notify(notice: PageNotice, transfer?: Transferable[]): void;
  /**
   * Takes the answers that the worker has given, and that are on their way. Those by message come in order with its
   * notices.
   */
  collect(): void;
  /**
   * Declares the worker broken: no page may use it any more. Called before `terminate`.
   * @param wasMerged whether it broke in a run with rows of several pages
   */
  abandon(wasMerged: boolean): void;
  /** Terminates the worker, which frees its memory. */
  terminate(): void;
}

/** Receives the answers, notices and errors of a worker. */
interface TransportListener {
  /** The worker has answered a run. */
  onAnswer(answer: RunAnswer): void;
  onNotice(notice: WorkerNotice): void;
  /** The script threw an error with this message, or failed to load (`null`). */
  onError(message: string | null): void;
  /** A message could not be deserialized. */
  onUnreadable(): void;
}

/** The part of a `Worker` that a transport needs. */
export interface WorkerEndpoint {
  /** Whether other pages use the worker too. It cannot share memory with a page. */
  readonly isShared?: true;
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: string, listener: (event: Event) => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
  /** Declares a shared worker broken, see `Transport`. */
  abandon?(wasMerged: boolean): void;
  /** Ends the worker; for a shared worker, its use by this page. */
  terminate(): void;
}

/** A reply and what is transferred with it to the page. */
export interface Sent<Reply> {
  readonly reply: Reply;
  readonly transfer: Transferable[];
}

/** The calls of a worker, as the worker implements them. They return errors as data and never throw. */
export type ServedApi = {
  readonly [Name in keyof WorkerApi]: (
    request: Parameters<WorkerApi[Name]>[0],
  ) => Promise<Sent<Awaited<ReturnType<WorkerApi[Name]>>>>;
};

/**
 * The property of every message that framebatch sends on a connection. A page and its own worker may send each other
 * any message without it.
 */
export interface Mark {
  readonly isFramebatch: true;
}

/** Returns a message as it is sent. */
export function marked<Message extends object>(message: Message): Message & Mark {
  return { ...message, isFramebatch: true };
}

/** Whether framebatch has sent the message of an event, and not other code. */
export function isOwnMessage<Message extends object>(event: Event): event is MessageEvent<Message> {
  const data: unknown = "data" in event ? event.data : null;
  return typeof data === "object" && data !== null && ("isFramebatch" in data || isOfFirstVersion(data));
}

/**
 * Whether a worker of framebatch 0.1.0, which marks no message, says that it is ready. The page rejects it by its
 * version.
 */
function isOfFirstVersion(data: object): boolean {
  return "version" in data && data.version === "0.1.0" && "notice" in data;
}

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

import { expose, releaseProxy, transfer, wrap, type Endpoint } from "comlink";
import type { LoadReply, PageNotice, SharedMemory, SlotReply, WorkerApi, WorkerNotice } from "./protocol.js";
import { canShareMemory, SharedRuns, SharedService } from "./shared-memory.js";
import type { Sent, ServedApi, Transport, TransportListener, WorkerEndpoint } from "./transport.js";

/**
 * Connects the page to a worker. Calls go through Comlink, or through shared memory where possible. Notices are plain
 * messages, which Comlink ignores because they have no `id`.
 */
export function connect(worker: WorkerEndpoint, listener: TransportListener): Transport {
  // The proxy is held until the worker ends: Comlink drops the calls of a garbage-collected proxy.
  const remote = wrap<WorkerApi>(worker);
  const { load, run, recall, learn } = remote;
  const runByMessage: Transport["calls"]["run"] = (request, moved = []) => run(transfer(request, moved));
  let shared: SharedRuns | null = null;
  const share = (reply: LoadReply): LoadReply => {
    if (reply.outcome !== "ready" || worker.isShared || !canShareMemory()) return reply;
    const outputs = reply.model.signature.outputs.map(({ name }) => name);
    shared = new SharedRuns(outputs, runByMessage);
    worker.postMessage({ shared: shared.memory } satisfies PageNotice);
    return reply;
  };
  const onMessage = (event: Event) => {
    const data: unknown = "data" in event ? event.data : null;
    if (!isObject(data)) return;
    if (isSlotReply(data)) shared?.heard(data);
    else if (isWorkerNotice(data)) listener.onNotice(data);
  };
  const onError = (event: Event) => {
    event.preventDefault();
    listener.onError("message" in event && event.message !== "" ? String(event.message) : null);
  };
  const listeners = { message: onMessage, error: onError, messageerror: () => listener.onUnreadable() };
  for (const [type, hear] of Object.entries(listeners)) worker.addEventListener(type, hear);
  return {
    calls: {
      load: async (request, moved = []) => {
        const reply = await load(transfer(request, moved));
        // Items for handlers are no tensors, so they do not fit into the memory.
        return request.served === "nothing" ? share(reply) : reply;
      },
      run: (request, moved = []) => (shared === null ? runByMessage(request, moved) : shared.run(request, moved)),
      recall: (ids) => recall(ids),
      learn: (request) => learn(request),
    },
    notify: (notice, moved = []) => worker.postMessage(notice, moved),
    abandon: (wasMerged) => worker.abandon?.(wasMerged),
    terminate() {
      for (const [type, hear] of Object.entries(listeners)) worker.removeEventListener(type, hear);
      worker.terminate();
      shared?.end();
      // Frees the worker object: Comlink holds it as long as the proxy, and unanswered calls would hold the proxy.
      remote[releaseProxy]();
    },
  };
}

/**
 * Serves the calls of the page from inside a worker.
 * @param onNotice called with each notice of the page, except those that this module handles itself
 * @param page the connection to the page; default: the worker's own global scope
 */
export function serve(
  api: ServedApi,
  onNotice: (notice: Exclude<PageNotice, SharedMemory>) => void,
  page?: Endpoint,
): void {
  const send = async <Reply>(sent: Promise<Sent<Reply>>): Promise<Reply> => {
    const { reply, transfer: moved } = await sent;
    return moved.length === 0 ? reply : transfer(reply, moved);
  };
  const post = (reply: SlotReply, moved: Transferable[]): void =>
    page === undefined ? postMessage(reply, { transfer: moved }) : page.postMessage(reply, moved);
  const service = new SharedService(api, post);
  const exposed: WorkerApi = {
    load: (request) => send(api.load(request)),
    run: (request) => send(api.run(request)),
    recall: (ids) => send(api.recall(ids)),
    learn: (request) => send(api.learn(request)),
  };
  // Comlink resolves any path of names on the exposed object, so no name may lead to a prototype or other object.
  expose(Object.freeze(Object.assign(Object.create(null), exposed)), page);
  (page ?? globalThis).addEventListener("message", (event: Event) => {
    const data: unknown = "data" in event ? event.data : null;
    if (!isObject(data) || !isPageNotice(data)) return;
    if ("shared" in data) void service.serve(data.shared);
    else onNotice(data);
  });
}

function isObject(data: unknown): data is object {
  return typeof data === "object" && data !== null;
}

function isWorkerNotice(data: object): data is WorkerNotice {
  return "notice" in data;
}

function isSlotReply(data: object): data is SlotReply {
  return "slot" in data;
}

const NOTICE_KEYS = ["wakeInMs", "shutDown", "shared", "delivered", "withdrawn", "endedSequence", "released"];

function isPageNotice(data: object): data is PageNotice {
  return NOTICE_KEYS.some((key) => key in data);
}

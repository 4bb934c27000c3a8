import { expose, releaseProxy, transfer, wrap, type Endpoint } from "comlink";
import type {
  LoadReply,
  PageNotice,
  RunReply,
  SharedMemory,
  TensorNames,
  WorkerApi,
  WorkerNotice,
} from "./protocol.js";
import { canShareMemory, SharedRuns, SharedService } from "./shared-memory.js";
import type { Sent, ServedApi, Transport, TransportListener, WorkerEndpoint } from "./transport.js";

/** The object that Comlink exposes: the worker's calls, and access to replies that do not fit into shared memory. */
interface ExposedApi extends WorkerApi {
  keptReply(slot: number): Promise<RunReply>;
}

/**
 * Connects the page to a worker. Calls go through Comlink, or through shared memory where possible. Notices are plain
 * messages, which Comlink ignores because they have no `id`.
 */
export function connect(worker: WorkerEndpoint, listener: TransportListener): Transport {
  // The proxy is held until the worker ends: Comlink drops the calls of a garbage-collected proxy.
  const remote = wrap<ExposedApi>(worker);
  const { load, run, stack, learn, keptReply } = remote;
  const runByMessage: Transport["calls"]["run"] = (request, buffers = []) => run(transfer(request, buffers));
  let shared: SharedRuns | null = null;
  const share = (reply: LoadReply): LoadReply => {
    const names = namesIn(reply);
    if (names === null || !canShareMemory()) return reply;
    shared = new SharedRuns(names, { run: runByMessage, keptReply });
    worker.postMessage({ shared: shared.memory, names } satisfies PageNotice);
    return reply;
  };
  const onMessage = (event: Event) => {
    const data: unknown = "data" in event ? event.data : null;
    if (isObject(data) && isWorkerNotice(data)) listener.onNotice(data);
  };
  const onError = (event: Event) => {
    event.preventDefault();
    listener.onError("message" in event && event.message !== "" ? String(event.message) : null);
  };
  const listeners = { message: onMessage, error: onError, messageerror: () => listener.onUnreadable() };
  for (const [type, hear] of Object.entries(listeners)) worker.addEventListener(type, hear);
  return {
    calls: {
      load: async (request, buffers = []) => share(await load(transfer(request, buffers))),
      run: (request, buffers = []) => (shared === null ? runByMessage(request, buffers) : shared.run(request, buffers)),
      stack: (request, buffers = []) => {
        const stackByMessage = () => stack(transfer(request, buffers));
        return shared === null ? stackByMessage() : shared.byMessage(stackByMessage);
      },
      learn: (request) => learn(request),
    },
    notify: (notice) => worker.postMessage(notice),
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
    const { reply, transfer: buffers } = await sent;
    return buffers.length === 0 ? reply : transfer(reply, buffers);
  };
  const service = new SharedService(api);
  const exposed: ExposedApi = {
    keptReply: (slot) => send(service.keptReply(slot)),
    load: (request) => send(api.load(request)),
    run: (request) => send(api.run(request)),
    stack: (request) => send(api.stack(request)),
    learn: (request) => send(api.learn(request)),
  };
  // Comlink resolves any path of names on the exposed object, so no name may lead to a prototype or other object.
  expose(Object.freeze(Object.assign(Object.create(null), exposed)), page);
  (page ?? globalThis).addEventListener("message", (event: Event) => {
    const data: unknown = "data" in event ? event.data : null;
    if (!isObject(data) || !isPageNotice(data)) return;
    if ("shared" in data) void service.serve(data.shared, data.names);
    else onNotice(data);
  });
}

function namesIn(reply: LoadReply): TensorNames | null {
  if (reply.outcome !== "ready") return null;
  const { inputs, outputs } = reply.model.signature;
  return { inputs: inputs.map(({ name }) => name), outputs: outputs.map(({ name }) => name) };
}

function isObject(data: unknown): data is object {
  return typeof data === "object" && data !== null;
}

function isWorkerNotice(data: object): data is WorkerNotice {
  return "notice" in data;
}

function isPageNotice(data: object): data is PageNotice {
  return "wakeInMs" in data || "shutDown" in data || "shared" in data;
}

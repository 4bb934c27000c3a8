import { expose, transfer, type Endpoint } from "comlink";
import type { ControlApi } from "./connect.js";
import type { PageNotice, SharedMemory } from "./page-notices.js";
import type { RunAnswer, RunMessage } from "./protocol.js";
import { ReceivedRuns } from "./runs.js";
import { receiveFrom } from "./shared-memory.js";
import type { Sent, ServedApi } from "./transport.js";

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
  const post = (answer: RunAnswer, moved: Transferable[]): void =>
    page === undefined ? postMessage(answer, { transfer: moved }) : page.postMessage(answer, moved);
  const runs = new ReceivedRuns((request) => api.run(request));
  const exposed: ControlApi = {
    load: (request) => send(api.load(request)),
    recall: (ids) => send(api.recall(ids)),
    learn: (request) => send(api.learn(request)),
  };
  // Comlink resolves any path of names on the exposed object, so no name may lead to a prototype or other object.
  expose(Object.freeze(Object.assign(Object.create(null), exposed)), page);
  (page ?? globalThis).addEventListener("message", (event: Event) => {
    const data: unknown = "data" in event ? event.data : null;
    if (typeof data !== "object" || data === null) return;
    if (isRun(data)) runs.received(data, post);
    else if (!isPageNotice(data)) return;
    else if ("shared" in data) void receiveFrom(data.shared, runs, post);
    else onNotice(data);
  });
}

function isRun(data: object): data is RunMessage {
  return "run" in data;
}

const NOTICE_KEYS = ["wakeInMs", "shutDown", "shared", "delivered", "withdrawn", "endedSequence", "released"];

function isPageNotice(data: object): data is PageNotice {
  return NOTICE_KEYS.some((key) => key in data);
}

import { expose, transfer, type Endpoint } from "comlink";
import type { ControlApi } from "./connect.js";
import { marked, ownMessage } from "./own-messages.js";
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
  page: Endpoint = ownScope(),
): void {
  const send = async <Reply>(sent: Promise<Sent<Reply>>): Promise<Reply> => {
    const { reply, transfer: moved } = await sent;
    return moved.length === 0 ? reply : transfer(reply, moved);
  };
  const post = (answer: RunAnswer, moved: Transferable[]): void => page.postMessage(marked(answer), moved);
  const runs = new ReceivedRuns((request) => api.run(request));
  const exposed: ControlApi = {
    load: (request) => send(api.load(request)),
    recall: (ids) => send(api.recall(ids)),
    learn: (request) => send(api.learn(request)),
  };
  // Comlink resolves any path of names on the exposed object, so no name may lead to a prototype or other object.
  expose(Object.freeze(Object.assign(Object.create(null), exposed)), forComlink(page));
  page.addEventListener("message", (event: Event) => {
    const data = ownMessage(event);
    if (data === null) return;
    if (isRun(data)) runs.received(data, post);
    else if (!isPageNotice(data)) return;
    else if ("shared" in data) void receiveFrom(data.shared, runs, post);
    else onNotice(data);
  });
}

/** Returns an endpoint for Comlink, on which it neither hears nor answers the messages of other code. */
function forComlink(page: Endpoint): Endpoint {
  const heard = new WeakMap<object, (event: Event) => void>();
  return {
    postMessage: (message: object, moved) => page.postMessage(marked(message), moved),
    addEventListener(type, listener) {
      const hear = (event: Event) => void (ownMessage(event) && typeof listener === "function" && listener(event));
      heard.set(listener, hear);
      page.addEventListener(type, hear);
    },
    removeEventListener: (type, listener) => page.removeEventListener(type, heard.get(listener) ?? listener),
  };
}

/** The page of a worker that no other page has. */
function ownScope(): Endpoint {
  return {
    postMessage: (message, moved = []) => postMessage(message, { transfer: moved }),
    addEventListener: (type, listener) => addEventListener(type, listener),
    removeEventListener: (type, listener) => removeEventListener(type, listener),
  };
}

function isRun(data: object): data is RunMessage {
  return "run" in data;
}

const NOTICE_KEYS = ["wakeInMs", "shutDown", "shared", "delivered", "withdrawn", "endedSequence", "released"];

function isPageNotice(data: object): data is PageNotice {
  return NOTICE_KEYS.some((key) => key in data);
}

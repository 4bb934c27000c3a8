import { expose } from "comlink";
import { encodeError } from "../core/errors.js";
import type { WorkerApi, WorkerNotice } from "../core/protocol.js";
import { SessionHost } from "./session-host.js";

// ONNX Runtime starts its threads from the URL of the script that it is bundled into, which can be this one.
if (!self.name.startsWith("em-pthread")) serve();

function serve(): void {
  const say = (notice: WorkerNotice) => postMessage(notice);
  const host = new SessionHost(say);
  const api: WorkerApi = { load: (request) => host.load(request), run: (request) => host.run(request) };
  // Comlink follows any path of names from what it is given: nothing may lead out of these two.
  expose(Object.freeze(Object.assign(Object.create(null), api)));
  // Of the errors of a worker, the page hears all but this kind.
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    say({ notice: "lost", error: encodeError(event.reason) });
  });
  say({ notice: "ready" });
}

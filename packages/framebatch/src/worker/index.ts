import { expose } from "comlink";
import { encodeError } from "../core/errors.js";
import { isLeaveRequest, isWakeRequest, type WorkerApi, type WorkerNotice } from "../core/protocol.js";
import { guardHeaps } from "./heap-guard.js";
import { holdLifeline } from "./lifeline.js";
import { SessionHost } from "./session-host.js";

// ONNX Runtime starts its threads from the URL of the script that it is bundled into, which can be this one.
if (!self.name.startsWith("em-pthread")) serve();

function serve(): void {
  const say = (notice: WorkerNotice) => postMessage(notice);
  guardHeaps();
  const host = new SessionHost(say);
  const api: WorkerApi = {
    load: (request) => host.load(request),
    run: (request) => host.run(request),
    stack: (request) => host.stack(request),
    learn: (costs) => host.learn(costs),
  };
  // Comlink follows any path of names from what it is given: nothing may lead out of these two.
  expose(Object.freeze(Object.assign(Object.create(null), api)));
  addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (isWakeRequest(data)) setTimeout(() => say({ notice: "wake" }), data.wakeInMs);
    if (isLeaveRequest(data)) void host.leave().then(() => say({ notice: "left" }));
  });
  // Of the errors of a worker, the page hears all but this kind.
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    say({ notice: "lost", error: encodeError(event.reason) });
  });
  say({ notice: "ready" });
  holdLifeline((lock) => say({ notice: "alive", lock }));
}

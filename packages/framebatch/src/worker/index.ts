import { expose } from "comlink";
import { encodeError } from "../core/errors.js";
import { type WorkerApi, type WorkerNotice, isLeaveRequest, isWakeRequest } from "../core/protocol/protocol.js";
import { SessionHost } from "./host/session-host.js";
import { after } from "../time/host-timer.js";
import { guardHeaps } from "./ort/heap-guard.js";

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
    if (isWakeRequest(data)) after(data.wakeInMs, () => say({ notice: "wake" }));
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

/**
 * Holds a Web Lock until this worker is no more, however it ends; the page hears of an end by waiting for the lock. `onHeld`
 * hears its name. Only in Chromium, which alone is known to keep such a page for the way back all the same: Firefox (153) keeps
 * none that holds a lock, and coming back at once is worth more than noticing a rare end some seconds sooner. Not where there
 * are no locks, as on a page that came over http.
 */
export function holdLifeline(onHeld: (lock: string) => void): void {
  if (!("locks" in navigator) || !("userAgentData" in navigator)) return;
  const hold = (name: string) => {
    onHeld(name);
    return new Promise<never>(() => undefined);
  };
  const name = `framebatch-${crypto.randomUUID()}`;
  navigator.locks.request(name, () => hold(name)).catch(() => undefined);
}

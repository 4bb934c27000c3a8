import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { holdLock } from "../host/held-lock.js";
import { lifelineOf, type PageMessage } from "../../transport/sharing.js";
import { SharedSession } from "./shared-session.js";

/**
 * Starts the worker's side in a shared worker.
 * @param heapBytes returns the size of the WebAssembly memory
 */
export function startShared(heapBytes: () => number): void {
  const session = new SharedSession(heapBytes);
  const lifeline = lifelineOf(self.name);
  // A page that breaks the lock has found this worker broken: no page uses it any more.
  const held = new Promise<void>((resolve) => void holdLock(lifeline, resolve).catch(() => session.retire()));
  addEventListener("connect", (event) => {
    const [port] = event instanceof MessageEvent ? event.ports : [];
    port?.addEventListener("message", ({ data }: MessageEvent<PageMessage>) => {
      if ("join" in data) void held.then(() => session.join(port, data.join, lifeline));
    });
    port?.start();
  });
  // Browsers do not report errors of a shared worker to its pages.
  addEventListener("error", ({ error }) => session.say({ notice: "lost", error: encodeError(error) }));
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    session.say({ notice: "lost", error: encodeError(event.reason) });
  });
}

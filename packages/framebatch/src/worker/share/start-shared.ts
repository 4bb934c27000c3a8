import { encodeError } from "../../core/error-data.js";
import { lifelineOf, type PageMessage } from "../../transport/sharing.js";
import { SharedSession } from "./shared-session.js";

/**
 * Starts the worker's side in a shared worker.
 * @param heapBytes returns the size of the WebAssembly memory
 */
export function startShared(heapBytes: () => number): void {
  const session = new SharedSession(heapBytes);
  const lifeline = lifelineOf(self.name);
  const held = holdLifeline(lifeline, () => session.retire());
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

/**
 * Holds a Web Lock until this worker ends. Pages detect the end by waiting for the lock. Resolves when it is held.
 * @param onBroken called when a page breaks the lock: no page uses this worker any more
 */
function holdLifeline(name: string, onBroken: () => void): Promise<void> {
  return new Promise((resolve) => {
    const hold = () => {
      resolve();
      return new Promise<never>(() => undefined);
    };
    navigator.locks.request(name, hold).catch(onBroken);
  });
}

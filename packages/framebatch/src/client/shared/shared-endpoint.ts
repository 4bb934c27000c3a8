import { isHidden, onVisibilityChange } from "@framebatch/host/page.js";
import { breakLock } from "../page/shared-host.js";
import { lifelineOf, type VisibilityNotice } from "../../transport/sharing.js";
import type { WorkerEndpoint } from "../../transport/transport.js";
import type { Membership } from "./join.js";

/**
 * Returns the endpoint of a session in a shared worker. Tells the worker whether the tab is hidden.
 * @param name name of the worker
 * @param onBroken called when the page finds the worker broken, see `Transport.abandon`
 */
export function sharedEndpoint(
  name: string,
  { session, port, leave }: Membership,
  onBroken: (wasMerged: boolean) => void,
): WorkerEndpoint {
  const tell = () => port.postMessage({ isHidden: isHidden() } satisfies VisibilityNotice);
  const stopTelling = onVisibilityChange(tell);
  if (isHidden()) tell();
  // Messages come in later tasks, when the caller listens.
  session.start();
  return {
    isShared: true,
    postMessage: (message, transfer = []) => session.postMessage(message, transfer),
    addEventListener: (type, listener, options) => session.addEventListener(type, listener, options),
    removeEventListener: (type, listener) => session.removeEventListener(type, listener),
    abandon(wasMerged) {
      // Every other page waits for this lock, as for the end of the worker, and moves on too. The last one to leave ends
      // the worker, even if it hangs.
      breakLock(lifelineOf(name));
      onBroken(wasMerged);
    },
    terminate() {
      stopTelling();
      session.close();
      leave();
    },
  };
}

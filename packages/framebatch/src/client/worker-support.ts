import { FramebatchError } from "../core/errors.js";

/** Importing framebatch is safe anywhere; a model needs a browser. @throws UNSUPPORTED elsewhere. */
export function refuseWithoutWorkers(): void {
  if (typeof Worker !== "undefined") return;
  throw new FramebatchError(
    "UNSUPPORTED",
    "expected a browser with Web Workers, got none; create the model in the browser",
  );
}

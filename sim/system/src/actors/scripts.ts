import type { Script, Serve } from "../browser/worker-realm.js";
import { ENGINE_WORKER, simEngine } from "./engines.js";
import { HANDLED_WORKER, HANDLERS, HANDLERS_OF_GROUPS } from "./handled.js";
import { REMEMBERING, REMEMBERING_OF_GROUPS, REMEMBERING_WORKER } from "./remembering.js";

/** The scripts of the caller's own workers, by their addresses. */
export const SCRIPTS: ReadonlyMap<string, Script> = new Map<string, Script>([
  [HANDLED_WORKER, serveHandlers],
  [REMEMBERING_WORKER, (serve) => serve(REMEMBERING)],
  [ENGINE_WORKER, (serve, realm) => serve(simEngine(realm))],
]);

/** It has handlers for a model of its own, and for those of a group. */
function serveHandlers(serve: Serve): void {
  serve(HANDLERS);
  serve.model(HANDLERS_OF_GROUPS, HANDLERS);
  serve.model(REMEMBERING_OF_GROUPS, REMEMBERING);
}

import type { AnyHandlers } from "../handlers/handlers.js";

/** Runs code of the user, and tells the page for so long whose it is. */
export type InTurn = <T>(code: () => T) => T;

/**
 * Returns the handlers of a model of a group, which may block the thread while the call of another model is open: one that
 * waits for a GPU or for a file. What follows an `await` in a handler counts as that other model's, unless the run of the
 * handler is exclusive.
 */
export function handlersInTurn(handlers: AnyHandlers, inTurn: InTurn): AnyHandlers {
  return {
    ...(handlers.begin !== undefined && { begin: () => inTurn(() => handlers.begin!()) }),
    ...(handlers.preprocess !== undefined && {
      preprocess: (item, context) => inTurn(() => handlers.preprocess!(item, context)),
    }),
    ...(handlers.postprocess !== undefined && {
      postprocess: (outputs, item, context) => inTurn(() => handlers.postprocess!(outputs, item, context)),
    }),
    // Always in a run of its model, which has the turn.
    ...(handlers.choose !== undefined && { choose: (scores, context) => handlers.choose!(scores, context) }),
  };
}

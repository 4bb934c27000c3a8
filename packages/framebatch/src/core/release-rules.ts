import type { Decision, ReleaseContext } from "./release-context.js";
import { frame } from "./release-frame.js";
import { idle } from "./release-idle.js";
import { window } from "./release-window.js";

/** The rules that decide when a batch is sent. A rule is one function in a file of its own, and one entry here. */
export const RELEASE_RULES = { frame, idle, window } satisfies Record<string, (context: ReleaseContext) => Decision>;

export type ReleaseRule = keyof typeof RELEASE_RULES;

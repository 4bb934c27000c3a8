import type { Release, Wait } from "./decision.js";
import { frame } from "./frame.js";
import { idle } from "./idle.js";
import type { Situation } from "./situation.js";
import { window } from "./window.js";

/** The rules that decide when a batch is dispatched. Each rule is one function in its own file and one entry here. */
export const RELEASE_RULES = { frame, idle, window } satisfies Record<string, (situation: Situation) => Release | Wait>;

export type ReleaseRule = keyof typeof RELEASE_RULES;

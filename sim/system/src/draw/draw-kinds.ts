import type { Act, HostedSubject } from "../scenario/kinds.js";

/** What is drawn in `draw-others.ts`. */
export type Kind = HostedSubject["kind"] | "function";

/** Functions are drawn often: they cost little, and show what the core does. */
export const KINDS: readonly Kind[] = [
  ...(["function", "function", "function"] as const),
  ...(["remote", "hybrid", "pipeline", "pipeline", "hub", "hub", "handled", "handled", "engine", "engine"] as const),
];

/** What code of the caller does to an item of each kind. */
export const ACTS: Readonly<Record<Kind, readonly Act["does"][]>> = {
  function: ["throw", "abort", "dispose"],
  remote: [],
  hybrid: ["abort"],
  pipeline: ["throw", "throw", "hang", "wait", "abort", "dispose", "twice"],
  hub: ["dispose", "throw"],
  handled: ["throw", "throw", "unsendable", "hang"],
  engine: ["throw"],
};

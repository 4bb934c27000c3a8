import type { LoadReply, RunReply } from "../../transport/protocol.js";

type Failure = Extract<LoadReply, { readonly outcome: "failed" }> | Extract<RunReply, { readonly ok: false }>;

/** Returns a failure for lack of memory with what may have caused it: the limit of the group. @param maxBytes `null`: none */
export function withLimit<Reply extends LoadReply | RunReply>(reply: Reply, maxBytes: number | null): Reply {
  if (maxBytes === null || !isFailure(reply) || reply.error.code !== "OUT_OF_MEMORY") return reply;
  const fix = `the group has maxMemoryBytes: ${maxBytes}; raise it, or dispose of other models`;
  return { ...reply, error: { ...reply.error, message: `${reply.error.message}; ${fix}` } };
}

function isFailure(reply: LoadReply | RunReply): reply is Failure {
  return "error" in reply;
}

import { PRIORITIES, type Priority } from "../../src/core/queue/priority.js";
import { QueuedRequest, type RequestFields } from "../../src/core/queue/queued-request.js";

type Asked = Partial<RequestFields<string, string>> & { readonly priority?: Priority };

const OWNER = { cancel() {}, setRank() {} };
const SINK = { resolve() {}, reject() {} };

/** A queued request that is nobody's: "b3" came as the third. */
export function queued(
  item: string,
  { priority = "user-visible", ...asked }: Asked = {},
): QueuedRequest<string, string> {
  return new QueuedRequest<string, string>(OWNER, {
    item,
    shape: { group: "", extents: [] },
    sink: SINK,
    key: undefined,
    contentKey: undefined,
    enqueuedAtMs: 0,
    sequence: Number(item.slice(1)),
    timeoutAtMs: Infinity,
    objectiveAtMs: Infinity,
    rank: PRIORITIES.indexOf(priority),
    ...asked,
  });
}

import { PRIORITIES, type Priority, QueuedRequest, type RequestFields } from "../../src/queue/request.js";

type Asked = Partial<RequestFields<string, string>> & { readonly priority?: Priority };

const OWNER = { cancel() {}, setRank() {} };
const SINK = { resolve() {}, reject() {} };

/** A queued request without an owner. The number in the item is its order of arrival: "b3" arrived third. */
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

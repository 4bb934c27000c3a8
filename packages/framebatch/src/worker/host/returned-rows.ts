import { buffersIn } from "@framebatch/rows/collate/sent-rows.js";
import type { FailedReply, RowsAnswer, RowsRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";

/** The reply to a `RowsRequest`. */
export type RowsReply = RowsAnswer | FailedReply;

/** Gives the rows of a failed run back. */
export function returned(reply: FailedReply, { rows }: RowsRequest): Sent<RowsReply> {
  return { reply: { ...reply, returned: rows }, transfer: buffersIn(rows) };
}

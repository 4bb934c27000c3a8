import { type ModelQueue, StreamRequests, type StreamSettings } from "@framebatch/batcher/calls/stream-requests.js";
import { predictStream } from "@framebatch/batcher/calls/predict-stream.js";
import type { Source } from "@framebatch/batcher/calls/source-reader.js";
import {
  refuseItem,
  refuseUnreadable,
  refuseMissing,
  refuseUnknownName,
  refuseNoTensor,
  refuseType,
  refuseDims,
  refuseUnknownDims,
  refuseLength,
  refuseElement,
  refuseText,
  refuseArrayClass,
  refuseDisagreement,
  refuseTooLong,
} from "@framebatch/rows/collate/input-words.js";
import { whyNeverAnswers } from "../workers/foreign-script.js";

/**
 * Code that no model needs for its first answer. It loads after that, so that a page that has gone offline has it, or when
 * a call needs it earlier.
 */

/** Does what `predictStream` of a model does. */
export function streamOf<Input, Row, Output>(
  source: Source<Input>,
  queue: ModelQueue<Row, Output>,
  settings: StreamSettings<Input, Row>,
): AsyncGenerator<Output, void, undefined> {
  return predictStream(source, new StreamRequests(queue, settings));
}

export { whyNeverAnswers };

/** The words of INVALID_INPUT. A namespace in its place would read the names that a page has added to `Object.prototype`. */
export const inputWords = {
  refuseItem,
  refuseUnreadable,
  refuseMissing,
  refuseUnknownName,
  refuseNoTensor,
  refuseType,
  refuseDims,
  refuseUnknownDims,
  refuseLength,
  refuseElement,
  refuseText,
  refuseArrayClass,
  refuseDisagreement,
  refuseTooLong,
};

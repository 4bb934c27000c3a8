import { predictStream } from "@framebatch/batcher/calls/predict-stream.js";
import { type ModelQueue, StreamRequests, type StreamSettings } from "@framebatch/batcher/calls/stream-requests.js";
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
import type { ScriptFailure } from "../../transport/script-failure.js";
import { WORKER_MARK } from "../../transport/worker-mark.js";

/**
 * Code that no model needs for its first answer. It loads after that, so that a page that has gone offline has it, or
 * when a call needs it earlier.
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

/**
 * The words of INVALID_INPUT. A namespace in its place would read the names that a page has added to
 * `Object.prototype`.
 */
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

/** Maximum number of files to read. The modules of a development server may be many more. */
const MAX_FILES = 32;

/** An import of any kind: whether it is a call, and its literal specifier. */
const IMPORT = /\b(?:import(?:Scripts)?\b\s*(\()?|from\b)\s*(?:(["'])([^"'\n]+)\2)?(\s*\))?/g;

/**
 * Returns why no worker that runs this script can ever answer; `null` if it may.
 * @param fix the remedy
 */
async function whyNeverAnswers(script: string, fix: string): Promise<ScriptFailure | null> {
  return (await isForeign(script)) ? { got: "a script without framebatch, which never answers", fix } : null;
}

/**
 * Returns true if no worker that runs this script can ever answer: neither the script nor anything that it imports is
 * framebatch's code. Returns false if that is not certain. Reads the files again, from the browser's cache.
 */
async function isForeign(script: string): Promise<boolean> {
  const files = new Set([script]);
  for (const file of files) {
    const text = files.size > MAX_FILES ? null : await readScript(file);
    const imported = text === null || text.includes(WORKER_MARK) ? null : importsOf(text, file);
    if (imported === null) return false;
    for (const address of imported) files.add(address);
  }
  return true;
}

/** Returns the addresses that a script imports; `null` if it computes one. A worker resolves no bare specifier. */
function importsOf(text: string, base: string): string[] | null {
  const addresses: string[] = [];
  for (const [, call, , specifier, end] of text.matchAll(IMPORT)) {
    if (call !== undefined && (specifier === undefined || end === undefined)) return null;
    if (specifier !== undefined && /^(\.{0,2}\/|https?:)/.test(specifier))
      addresses.push(new URL(specifier, base).href);
  }
  return addresses;
}

async function readScript(address: string): Promise<string | null> {
  const response = await fetch(address).catch(() => null);
  const isScript = /javascript|ecmascript/i.test(response?.headers.get("Content-Type") ?? "");
  return response?.ok && isScript ? response.text().catch(() => null) : null;
}

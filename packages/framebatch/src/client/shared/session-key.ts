import type { LoadRequest, ModelLocation } from "../../transport/protocol.js";

declare const FRAMEBATCH_VERSION: string;

/**
 * Returns what the names of all shared workers for a session have in common: a hash of everything that decides which
 * session it is. Tabs with another version of framebatch, another script, another model or other options have another
 * one.
 * @param script address of the worker's script: browsers start a worker for each address
 * @param runTimeoutMs the option: tabs must agree on when a worker hangs
 */
export async function sessionKey(
  request: LoadRequest,
  script: string | null,
  runTimeoutMs: number | null,
): Promise<string> {
  const externalData = request.externalData.map((file) => ({ ...file, location: addressOf(file.location) }));
  // The first page to load decides about the warm-up and knows verdicts of earlier sessions. The bytes are compared
  // when a page joins.
  const decisive = {
    ...request,
    location: addressOf(request.location),
    externalData,
    warmup: true,
    found: [],
    signature: null,
  };
  const text = JSON.stringify([decisive, script, runTimeoutMs], asText);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `framebatch ${FRAMEBATCH_VERSION} ${hash}`;
}

/** Returns the address of a file; `null` for a file given as bytes, which other tabs do not have. */
export function addressOf(location: ModelLocation): string | null {
  return "url" in location && /^https?:/.test(location.url) ? location.url : null;
}

/** Writes what JSON cannot: the numbers of samples. */
function asText(_key: string, value: unknown): unknown {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  return ArrayBuffer.isView(value)
    ? Array.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    : value;
}

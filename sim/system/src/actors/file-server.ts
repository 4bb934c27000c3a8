import type { PickedFile } from "../browser/blob.js";
import type { NetworkRequest, ServerReply } from "../browser/network.js";
import { MODEL_NAMES, modelFile } from "../runtime/models.js";
import type { Fault, RequestFault } from "../scenario/scenario.js";

/** Later than `stallTimeoutMs`, in milliseconds. */
const LATE_MS = 40_000;

/** The server of the files of models. */
export class FileServer {
  /** The version that is deployed. */
  version = 1;
  /** It has failed a request, another version has been deployed, or a picked file has changed: a load may fail. */
  hasFailed = false;
  /** The files of models that users have picked. */
  readonly picked: PickedFile = { isChanged: false };
  readonly #byRequest = new Map<number, RequestFault>();
  #requests = 0;

  constructor(faults: readonly Fault[]) {
    for (const fault of faults) if (fault.on === "request") this.#byRequest.set(fault.nth, fault.does);
  }

  deploy(): void {
    this.version += 1;
    this.hasFailed = true;
  }

  changePicked(): void {
    this.picked.isChanged = true;
    this.hasFailed = true;
  }

  readonly serve = ({ url }: NetworkRequest): ServerReply | null => {
    const name = MODEL_NAMES.find((model) => url.endsWith(`/${model}.onnx`));
    if (name === undefined) return { status: 404 };
    const fault = this.#byRequest.get(this.#requests);
    this.#requests += 1;
    const whole = {
      status: 200,
      headers: { etag: `v${this.version}`, "content-type": "application/octet-stream" },
      body: modelFile(name, this.version),
      pieces: 2,
    };
    if (fault === undefined) return whole;
    if (fault !== "trickle") this.hasFailed = true;
    return fault === "offline" ? null : { ...whole, ...REPLIES[fault] };
  };
}

const REPLIES: Readonly<Record<Exclude<RequestFault, "offline">, Partial<ServerReply>>> = {
  slow: { delayMs: 3000 },
  late: { delayMs: LATE_MS },
  cut: { cutAfter: 1 },
  stall: { stallAfter: 1 },
  trickle: { pieces: 12, pieceMs: 8000 },
  "429": { status: 429, headers: { "retry-after": "1" }, body: new Uint8Array(0) },
  "503": { status: 503, headers: { "retry-after": "1" }, body: new Uint8Array(0) },
  page: {
    headers: { "content-type": "text/html" },
    body: new TextEncoder().encode("<!doctype html><title>Log in</title>"),
  },
};

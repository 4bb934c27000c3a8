import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { statusTraits } from "@framebatch/batcher/errors/http-status.js";
import type { Cancel, Timer } from "@framebatch/host/clock.js";
import type { Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { RemoteOptions } from "./remote-options.js";
import { ownOrigin } from "@framebatch/host/page.js";
import { type Answer, type Decoded, decodeAnswer, readJson } from "./decode.js";
import { encodeRequest, type RequestForm } from "./encode.js";
import { namesBinaryTensors, readMetadata, type RemoteMetadata } from "./metadata.js";
import { callOnce, type RemoteRequest, withRetries } from "./remote-call.js";
import { RemoteErrors } from "./remote-errors.js";
import { shownAddress } from "@framebatch/batcher/errors/shown-address.js";
import { absoluteUrl } from "@framebatch/batcher/options/option-checks.js";

/** 64 MiB: a batch of outputs that is larger takes longer to send than to compute. */
const DEFAULT_MAX_RESPONSE_BYTES = 2 ** 26;
/** Maximum size of metadata, in bytes. */
const MAX_METADATA_BYTES = 2 ** 20;
/** Maximum time to find out whether a server is there at all, in milliseconds. */
const PROBE_TIMEOUT_MS = 2000;

/** What a server takes from its surroundings. */
export interface RemoteHost {
  readonly timer: Timer;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Whether to repeat an inference that failed, instead of letting another engine run it. @default always */
  readonly mayRetry?: () => boolean;
  /** Calls `callback` whenever `mayRetry` may have changed, until cancelled. @default never */
  readonly onChange?: (callback: () => void) => Cancel;
  /**
   * The error of an attempt that is not made now, because another engine can run the inference; `null` to make it.
   * @default null
   */
  readonly refusal?: () => FramebatchError | null;
  /** Called with the error of each status other than success, before the body is read. @default nothing */
  readonly onStatus?: (error: FramebatchError) => void;
}

/** When to give a call up. */
export interface CallBounds {
  readonly signal: AbortSignal;
  /** Maximum time of each attempt, in milliseconds. */
  readonly timeoutMs: number;
}

/** One model on a server that speaks the Open Inference Protocol v2 over HTTP. */
export class RemoteServer {
  readonly #address: ServerAddress;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #maxResponseBytes: number;
  readonly #host: RemoteHost;
  /** Methods that the server has answered, so that CORS does not forbid them. */
  readonly #answered = new Set<string>();
  #isBinary: boolean | null;
  readonly #nullAs: number | null;
  /** Whether requests in JSON ask for binary outputs; `null` if it is not known whether the server has them. */
  #asksForBinary: boolean | null;
  #inferences = 0;
  #retries = 0;

  /** @throws INVALID_OPTION or REMOTE_BLOCKED when the address cannot be used */
  constructor(url: string | URL, options: RemoteOptions, host: RemoteHost) {
    this.#address = serverAddress(url, options.model, options.version);
    this.#headers = { ...options.headers };
    this.#maxResponseBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    this.#isBinary = options.binary ?? null;
    this.#nullAs = options.nullAs ?? null;
    this.#asksForBinary = options.binary === undefined ? null : false;
    this.#host = host;
  }

  /** Whether tensors are sent as binary data. */
  get isBinary(): boolean {
    return this.#isBinary === true;
  }

  /** Number of attempts that repeated another. */
  get retries(): number {
    return this.#retries;
  }

  /** Checks that the model is ready, and reads its metadata. @throws a code that starts with REMOTE_ */
  async open(bounds: CallBounds): Promise<RemoteMetadata> {
    await this.checkReady(bounds);
    const json = await this.#json(this.#address.model, bounds);
    this.#isBinary ??= await this.#takesBinary(bounds);
    return readMetadata(json, new RemoteErrors(this.#address.model));
  }

  /** @throws a code that starts with REMOTE_ when the model cannot predict */
  async checkReady(bounds: CallBounds): Promise<void> {
    await this.#call({ url: this.#address.ready, method: "GET", headers: this.#headers }, bounds, MAX_METADATA_BYTES);
  }

  /**
   * Runs one batch. If JSON lacks a number of the answer, asks once more for a binary one, and for no other from then
   * on if the server has it.
   * @throws the refusal of the host; a code that starts with REMOTE_; INVALID_INPUT when JSON has no notation for an
   * element
   */
  async infer(
    feeds: Readonly<Record<string, Tensor>>,
    outputs: readonly TensorInfo[],
    bounds: CallBounds,
  ): Promise<Decoded> {
    const form = this.isBinary ? "binary" : this.#asksForBinary === true ? "json-for-binary" : "json";
    const decoded = await this.#infer(feeds, outputs, bounds, form);
    if (decoded.nulls.length === 0 || form !== "json" || this.#asksForBinary === false) return decoded;
    const binary = await this.#inferBinary(feeds, outputs, bounds);
    this.#asksForBinary = binary !== null;
    return binary ?? decoded;
  }

  /**
   * Returns `null` if the server gives no binary answer to a request in JSON. A server without the extension ignores
   * it.
   */
  async #inferBinary(
    feeds: Readonly<Record<string, Tensor>>,
    outputs: readonly TensorInfo[],
    bounds: CallBounds,
  ): Promise<Decoded | null> {
    try {
      const decoded = await this.#infer(feeds, outputs, bounds, "json-for-binary");
      return decoded.nulls.length === 0 ? decoded : null;
    } catch (error) {
      if (error instanceof FramebatchError && isAnswer(error)) return null;
      throw error;
    }
  }

  async #infer(
    feeds: Readonly<Record<string, Tensor>>,
    outputs: readonly TensorInfo[],
    bounds: CallBounds,
    form: RequestForm,
  ): Promise<Decoded> {
    const refusal = this.#host.refusal?.() ?? null;
    if (refusal !== null) throw refusal;
    const url = this.#address.infer;
    const { headers, body } = encodeRequest(String(++this.#inferences), feeds, outputs, form);
    const request: RemoteRequest = { url, method: "POST", headers: { ...this.#headers, ...headers }, body };
    const answer = await this.#call(request, bounds, this.#maxResponseBytes);
    return decodeAnswer(answer, outputs, new RemoteErrors(url), this.#nullAs);
  }

  /** A server need not describe itself. One that does not is sent JSON. */
  async #takesBinary(bounds: CallBounds): Promise<boolean> {
    try {
      return namesBinaryTensors(await this.#json(this.#address.server, bounds));
    } catch (error) {
      bounds.signal.throwIfAborted();
      if (error instanceof FramebatchError) return false;
      throw error;
    }
  }

  async #json(url: string, bounds: CallBounds): Promise<unknown> {
    const { body } = await this.#call({ url, method: "GET", headers: this.#headers }, bounds, MAX_METADATA_BYTES);
    return readJson(body, new RemoteErrors(url));
  }

  #call(request: RemoteRequest, bounds: CallBounds, maxResponseBytes: number): Promise<Answer> {
    const { timer, onStatus = () => undefined } = this.#host;
    const onHead = () => void this.#answered.add(request.method);
    const limits = { ...bounds, maxResponseBytes, timer, onHead, onStatus };
    return withRetries(
      async () => {
        try {
          return await callOnce(request, limits);
        } catch (error) {
          const isForbidden = await this.#isForbidden(request.method, error, bounds.signal);
          bounds.signal.throwIfAborted();
          throw isForbidden ? new RemoteErrors(request.url).cors(error) : error;
        }
      },
      { ...this.#host, signal: bounds.signal, onRetry: () => (this.#retries += 1) },
    );
  }

  /**
   * Whether a request without an answer was rejected by CORS: to a page, that looks like a server that cannot be
   * reached. If the server answers a request whose answer the page may not read, it can be reached.
   */
  async #isForbidden(method: string, error: unknown, signal: AbortSignal): Promise<boolean> {
    if (!(error instanceof FramebatchError) || error.code !== "REMOTE_UNREACHABLE") return false;
    if (error.details["timeoutMs"] !== undefined || this.#answered.has(method)) return false;
    const own = ownOrigin();
    if (own === null || own === new URL(this.#address.live).origin) return false;
    return this.#isAlive(signal);
  }

  /** @param signal ends the attempt to find out, as if the server did not answer */
  async #isAlive(signal: AbortSignal): Promise<boolean> {
    const { timer } = this.#host;
    const stop = new AbortController();
    const abort = () => stop.abort();
    const cancel = timer.schedule(timer.now() + PROBE_TIMEOUT_MS, abort);
    signal.addEventListener("abort", abort);
    try {
      const init = { mode: "no-cors", credentials: "omit", referrerPolicy: "no-referrer" } as const;
      await fetch(this.#address.live, { ...init, signal: stop.signal });
      return true;
    } catch {
      return false;
    } finally {
      cancel();
      signal.removeEventListener("abort", abort);
    }
  }
}

/** Whether a server has answered a request, although with another answer than a right one. */
function isAnswer({ code, details }: FramebatchError): boolean {
  if (code !== "REMOTE_STATUS") return code === "REMOTE_INVALID";
  return statusTraits(Number(details["status"])).blames !== "server";
}

/** The addresses of one model on a server, as the Open Inference Protocol v2 names them. */
interface ServerAddress {
  /** Describes the server: its name and its extensions. */
  readonly server: string;
  /** Answers as long as the server runs, whatever its models do. */
  readonly live: string;
  /** Describes the model. */
  readonly model: string;
  /** Answers with success if the model can predict. */
  readonly ready: string;
  readonly infer: string;
}

/**
 * Returns the addresses of a model.
 * @param url address of the server, without `/v2`, resolved against the page
 * @throws INVALID_OPTION when the address cannot be used; REMOTE_BLOCKED for `http:` on a secure page
 */
function serverAddress(url: string | URL, model: string, version: string | undefined): ServerAddress {
  const base = checkUrl(parseUrl(url));
  const within = (path: string) => {
    const address = new URL(base);
    address.pathname = `${base.pathname.replace(/\/$/, "")}/v2${path}`;
    return address.href;
  };
  const versionPath = version === undefined ? "" : `/versions/${encodeURIComponent(version)}`;
  const modelPath = `/models/${encodeURIComponent(model)}${versionPath}`;
  return {
    server: within(""),
    live: within("/health/live"),
    model: within(modelPath),
    ready: within(`${modelPath}/ready`),
    infer: within(`${modelPath}/infer`),
  };
}

/** Resolves an address. An absolute one needs no page. */
function parseUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    return new URL(absoluteUrl(url, "url"));
  }
}

function checkUrl(url: URL): URL {
  if (!/^https?:$/.test(url.protocol)) {
    throw wrongUrl(`an address with https: or http:, got one with ${url.protocol}; give the address of the server`);
  }
  if (url.username !== "" || url.password !== "") {
    throw wrongUrl("an address without a user name and password, got one with them; pass an Authorization header");
  }
  if (url.protocol === "http:" && ownOrigin()?.startsWith("https:") === true && !isLoopback(url)) {
    throw new FramebatchError(
      "REMOTE_BLOCKED",
      `expected a server with https:, since the page is secure, got ${url.origin}; browsers block it as mixed content: serve it with TLS`,
      { details: { url: shownAddress(url.href) } },
    );
  }
  url.hash = "";
  return url;
}

function wrongUrl(sentence: string): FramebatchError {
  return new FramebatchError("INVALID_OPTION", `url: expected ${sentence}`, { details: { option: "url" } });
}

/** Returns true for addresses of this machine, which a secure page may use without TLS. */
function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

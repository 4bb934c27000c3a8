import type { NetworkRequest, Server, ServerReply } from "../browser/network.js";
import type { World } from "../kernel/world.js";
import { answer, ITEM_LENGTH, poisonOf } from "../runtime/models.js";
import type { ServerFault, ServerSpec } from "../scenario/kinds.js";
import type { Witness } from "../logs/witness.js";

/** The version of the model on servers: that of the first deployment. */
const VERSION = 1;

/** Seconds that a busy server asks for. */
const RETRY_AFTER_S = 120;
/** Time until a server answers that is late. */
const LATE_MS = 4000;
/** Time in which a page has read an answer, in milliseconds. */
const READ_MS = 20;

/** Time before which a request that has failed is not sent again, in milliseconds. */
const LEAST_PAUSE_MS = 100;

/** Faults of the server itself, which do not pass: neither the same batch nor a smaller one must be tried. */
const BROKEN: readonly ServerFault[] = ["404", "page", "text", "rows", "names", "deep", "short"];

/** The token that every request must bear, and that no error may show. */
export const TOKEN = "SECRET-token";

/** A server of the Open Inference Protocol v2 with one model. It shares no code with the client. */
export class InferenceServer {
  readonly #spec: ServerSpec;
  readonly #world: World;
  readonly #witness: Witness;
  readonly #name: string;
  #inferences = 0;
  #pausedUntilMs = -Infinity;
  #pausedSinceMs = Infinity;
  /** Items of requests that got an answer which no server should give. */
  readonly #brokenFor = new Set<number>();
  /** When the page heard that the server refuses every request; `Infinity` if it does not know. */
  #refusedAtMs = Infinity;
  /** The items of the request that it then refused. */
  #refusedIds: readonly number[] = [];
  /** When the page heard of the first of the failures since the last answer, or gave the server up; `-Infinity` if there is none. */
  #outSinceMs = -Infinity;
  /** When the page last heard that a request has failed, by its items. */
  readonly #failedAtMs = new Map<string, number>();
  /** Items of requests that failed as if because of one of them. */
  readonly #searched = new Set<number>();

  constructor(name: string, spec: ServerSpec, world: World, witness: Witness) {
    this.#name = name;
    this.#spec = spec;
    this.#world = world;
    this.#witness = witness;
  }

  /** How long a request waits for an answer at least. */
  patienceMs = 0;

  /** Whether the server counts on being left alone now if it has asked for that. */
  countsOnRest = (): boolean => false;

  /** Whether a device can answer now. */
  hasDevice = (): boolean => false;

  readonly serve: Server = (request) => {
    const { pathname } = new URL(request.url);
    if (request.headers.get("authorization") !== TOKEN) return json({ error: "who are you?" }, 401);
    if (pathname === "/v2") return json(this.#description());
    if (pathname.endsWith("/ready") || pathname.endsWith("/live")) return json({ ready: true });
    if (pathname.endsWith("/infer")) return this.#infer(request);
    return this.#spec.batch === "deep"
      ? text(JSON.stringify(this.#metadata()).replaceAll("-1", NESTED))
      : json(this.#metadata());
  };

  #description(): object {
    return { name: this.#name, version: "1", extensions: this.#spec.isBinary ? ["binary_tensor_data"] : [] };
  }

  #metadata(): object {
    const { batch, isWide } = this.#spec;
    const shape = [batch === "endless" ? 2 ** 40 : -1, isWide === true ? -1 : ITEM_LENGTH];
    const tensor = (name: string) => ({ name, datatype: "FP32", shape });
    return { name: "affine", inputs: [tensor("x")], outputs: [tensor("y")] };
  }

  #infer(request: NetworkRequest): ServerReply | null {
    const { rows, isBinary } = readRequest(request);
    const ids = rows.map(idOf);
    const planned = this.#faultAt(this.#inferences++);
    // What an item does to a request, it does late, too.
    const fault = planned === null || planned === "late" ? (poisonFault(rows) ?? planned) : planned;
    this.#world.note(`infer ${ids.join()} ${fault ?? "well"}`);
    this.#checkBroken(ids);
    if (fault !== null) this.#note(fault, rows);
    const reply = fault === null ? answered(rows, isBinary) : faulty(fault, rows, isBinary);
    if (reply === null) return null;
    const gotMs = this.#world.nowMs;
    const onArrival = () => {
      this.#checkAwaited(ids);
      if (fault !== null) this.#failedAtMs.set(ids.join(), this.#world.nowMs);
      this.#noteRefusal(fault, ids, request);
      if (fault === "429") this.#asksForTime(gotMs);
    };
    return { delayMs: fault === "late" ? LATE_MS : this.#spec.delayMs, ...reply, onArrival };
  }

  /** Judges a request by what its page knows when it sends it. */
  readonly sent = (request: NetworkRequest): void => {
    if (!new URL(request.url).pathname.endsWith("/infer")) return;
    if (this.#failedAtMs.size > 0) this.#checkPause(readRequest(request).rows.map(idOf));
    this.#checkOutage();
    this.#checkRest();
    request.signal?.addEventListener("abort", () => this.#noteGivenUp(request), { once: true });
  };

  /** A page whose callers still wait has taken the server for silent: its device answers, and an outage begins. */
  #noteGivenUp(request: NetworkRequest): void {
    const isAwaited = readRequest(request).rows.some((row) => this.#witness.askerOf(idOf(row))?.hasLeft() === false);
    if (isAwaited) this.#beginOutage();
  }

  #beginOutage(): void {
    if (this.#outSinceMs === -Infinity) this.#outSinceMs = this.#world.nowMs;
  }

  /** The same request is not sent again at once. */
  #checkPause(ids: readonly number[]): void {
    const sinceMs = this.#world.nowMs - (this.#failedAtMs.get(ids.join()) ?? -Infinity);
    if (sinceMs < LEAST_PAUSE_MS && ids.every((id) => this.#witness.isAskedOnce(id)))
      this.#witness.broken("asked", `items ${ids.join()} were sent again ${sinceMs} ms after a failure`);
  }

  /** The end of a request that was sent before the page knew of other failures does not lengthen their time. */
  #noteRefusal(fault: ServerFault | null, ids: readonly number[], { sentMs }: NetworkRequest): void {
    const { nowMs } = this.#world;
    if (fault !== "404") this.#refusedAtMs = Infinity;
    else if (this.#refusedAtMs === Infinity && sentMs >= this.#outSinceMs + READ_MS)
      [this.#refusedAtMs, this.#refusedIds] = [nowMs, ids];
    if (fault === null) this.#outSinceMs = -Infinity;
    else this.#beginOutage();
  }

  /**
   * Where a device answers, a server that refuses everybody is not asked again soon: by a page whose callers have waited for
   * the end of a refusal.
   */
  #checkOutage(): void {
    const sinceMs = this.#world.nowMs - this.#refusedAtMs;
    if (this.#refusedIds.every((id) => this.#witness.askerOf(id)?.hasLeft() !== false)) return;
    if (sinceMs > READ_MS && sinceMs < LEAST_PAUSE_MS && this.hasDevice())
      this.#witness.broken("asked", `the server was asked ${sinceMs} ms after it had refused a request`);
  }

  /**
   * A request is stopped when nobody waits for its items any more, so that its answer never arrives. One of a model with
   * several sizes goes on for a time, since a server might join it with a later one of another size.
   */
  #checkAwaited(ids: readonly number[]): void {
    if (this.#spec.isWide === true) return;
    const isUnwanted = (id: number) =>
      this.#witness.isAskedOnce(id) && (this.#witness.askerOf(id)?.overAtMs() ?? Infinity) < this.#world.nowMs;
    if (ids.every(isUnwanted))
      this.#witness.broken("asked", `an answer about items ${ids.join()} arrived, for which nobody waits`);
  }

  /** A page learns of it only from an answer that it still waits for. */
  #asksForTime(gotMs: number): void {
    this.#pausedSinceMs = Math.min(this.#pausedSinceMs, this.#world.nowMs);
    this.#pausedUntilMs = gotMs + RETRY_AFTER_S * 1000;
  }

  /** A caller who restarts a model asks for its server at once. */
  mayBeAsked(): void {
    this.#pausedSinceMs = Infinity;
    this.#pausedUntilMs = -Infinity;
    this.#refusedAtMs = Infinity;
  }

  #faultAt(nth: number): ServerFault | null {
    return this.#spec.faults.find((fault) => nth >= fault.nth && nth <= fault.until)?.does ?? null;
  }

  /** After an answer that no server gives, the same items do not come back. */
  #checkBroken(ids: readonly number[]): void {
    const again = ids.find((id) => this.#brokenFor.has(id) && this.#witness.isAskedOnce(id));
    if (again !== undefined)
      this.#witness.broken("asked", `item ${again} was sent again after an answer of a broken server`);
  }

  /** Nothing comes in the time for which a server has asked. */
  #checkRest(): void {
    const { nowMs } = this.#world;
    const isPaused = nowMs > this.#pausedSinceMs + READ_MS && nowMs < this.#pausedUntilMs;
    if (isPaused && this.countsOnRest())
      this.#witness.broken("asked", `the server asked for time until ${this.#pausedUntilMs}, and got a request`);
  }

  #note(fault: ServerFault, rows: Rows["rows"]): void {
    if (fault === "late" && this.patienceMs > LATE_MS) return;
    const ids = rows.map(idOf);
    if (BROKEN.includes(fault)) for (const id of ids) this.#brokenFor.add(id);
    // Of these, only an item that was sent alone is to blame, or one that has made the request fail.
    const isOfItems = rows.some((row) => poisonOf(row[0] ?? 0) !== null) && (fault === "400" || fault === "500");
    const isAlone = new Set(ids).size === 1;
    if (fault === "400" || fault === "500") for (const id of ids) this.#searched.add(id);
    // The search for an item that fails ends with the server.
    else for (const id of this.#searched) this.#excuse(id, fault);
    for (const row of rows) {
      if (isOfItems && !isAlone && poisonOf(row[0] ?? 0) === null) continue;
      this.#excuse(idOf(row), fault);
    }
  }

  #excuse(id: number, fault: ServerFault): void {
    this.#witness.excuse(id, codeOf(fault));
    // To a page, a server that breaks every connection looks like one that it may not read.
    if (fault === "cut") this.#witness.excuse(id, "REMOTE_BLOCKED");
  }
}

function idOf(row: readonly number[]): number {
  return Math.floor(row[1] ?? 0);
}

function poisonFault(rows: readonly (readonly number[])[]): ServerFault | null {
  const poisons = rows.map((row) => poisonOf(row[0] ?? 0));
  if (poisons.includes("hang")) return "silent";
  if (poisons.includes("trap")) return "500";
  return poisons.includes("fail") ? "400" : null;
}

function codeOf(fault: ServerFault): string {
  if (/\d/.test(fault)) return "REMOTE_STATUS";
  if (BROKEN.includes(fault)) return "REMOTE_INVALID";
  return fault === "cut" || fault === "silent" || fault === "late" ? "REMOTE_UNREACHABLE" : "REMOTE_STATUS";
}

interface Rows {
  readonly rows: readonly (readonly number[])[];
  readonly isBinary: boolean;
}

function readRequest({ headers, body }: NetworkRequest): Rows {
  const bytes = body ?? new Uint8Array(0);
  const header = headers.get("inference-header-content-length");
  const end = header === null ? bytes.byteLength : Number(header);
  const { inputs } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  const [{ shape, data }] = inputs;
  const elements: number[] = header === null ? data : Array.from(new Float32Array(bytes.slice(end).buffer));
  const length = shape[1];
  const rows = Array.from({ length: shape[0] }, (_, row) => elements.slice(row * length, (row + 1) * length));
  return { rows, isBinary: header !== null };
}

function answered(rows: Rows["rows"], isBinary: boolean): ServerReply {
  return outputs("y", [rows.length, lengthOf(rows)], rows, isBinary);
}

function lengthOf([row]: Rows["rows"]): number {
  return row?.length ?? 0;
}

function outputs(name: string, shape: unknown, rows: Rows["rows"], isBinary: boolean): ServerReply {
  const elements = Float32Array.from(rows.flat(), (x) => answer(x, VERSION));
  if (!isBinary) return json({ outputs: [{ name, datatype: "FP32", shape, data: Array.from(elements) }] });
  const parameters = { binary_data_size: elements.byteLength };
  const head = new TextEncoder().encode(JSON.stringify({ outputs: [{ name, datatype: "FP32", shape, parameters }] }));
  const body = new Uint8Array(head.byteLength + elements.byteLength);
  body.set(head);
  body.set(new Uint8Array(elements.buffer), head.byteLength);
  const headers = {
    "content-type": "application/octet-stream",
    "inference-header-content-length": String(head.byteLength),
  };
  return { status: 200, headers, body };
}

/** Depth of a list that a careless reader of it does not survive. */
const DEEP = 20_000;
const NESTED = `${"[".repeat(DEEP)}1${"]".repeat(DEEP)}`;

function faulty(fault: ServerFault, rows: Rows["rows"], isBinary: boolean): ServerReply | null {
  switch (fault) {
    case "cut":
      return { status: 200, headers: { "content-type": "application/json" }, body: new Uint8Array(64), cutAfter: 0 };
    case "silent":
      return { status: 200, delayMs: 1e9 };
    case "late":
      return answered(rows, isBinary);
    case "page":
      return { status: 200, headers: { "content-type": "text/html" }, body: new TextEncoder().encode("<html>") };
    case "text":
      return { status: 200, headers: { "content-type": "application/json" }, body: new TextEncoder().encode("no") };
    case "rows":
      return outputs("y", [rows.length + 1, lengthOf(rows)], [...rows, rows[0] ?? []], isBinary);
    case "names":
      return outputs(
        "z",
        [rows.length, lengthOf(rows)],
        rows.map((row) => row.map((x) => x + 1)),
        isBinary,
      );
    case "short":
      return outputs("y", [rows.length, lengthOf(rows)], rows.slice(1), isBinary);
    case "deep":
      return text(`{"outputs":[{"name":"y","datatype":"FP32","shape":${NESTED},"data":[]}]}`);
    case "429":
      return { ...json({ error: "busy" }, 429), headers: { "retry-after": String(RETRY_AFTER_S) } };
    default:
      return json({ error: "on purpose" }, Number(fault));
  }
}

function json(value: unknown, status = 200): ServerReply {
  return text(JSON.stringify(value), status);
}

function text(content: string, status = 200): ServerReply {
  return { status, headers: { "content-type": "application/json" }, body: new TextEncoder().encode(content) };
}

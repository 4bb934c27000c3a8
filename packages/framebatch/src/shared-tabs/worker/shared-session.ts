import type { CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import type { BatchCheck, LoadReply, LoadRequest, ObtainedFile, WorkerNotice } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/providers.js";
import { VERSION } from "../../transport/version.js";
import { type JoinRequest, type SharedWorkerMessage, lifelineOf, type PageMessage } from "../tab-messages.js";
import type { Sent, ServedApi } from "../../transport/transport.js";
import { isLockHeld, holdLock } from "../../worker/host/held-lock.js";
import { SessionHost } from "../../worker/host/session-host.js";
import { deviceFinder } from "../../worker/ort/device.js";
import { Member, MemberRuns } from "./member-runs.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";

/** Why a page is no member: its end would not be noticed. */
const UNSEEN = "the page and the shared worker do not see each other's locks, as after the site's data was cleared";

/** A run: the pages whose rows it holds, and how long it may take. */
interface SharedTurn {
  readonly owners: ReadonlySet<Member>;
  readonly timeoutMs: number;
}

/** The one session of a shared worker, and the pages that use it. The browser ends the worker with its last page. */
class SharedSession {
  readonly #host: SessionHost;
  readonly #members = new Set<Member>();
  readonly #runs: MemberRuns;
  #loading: Promise<LoadReply> | null = null;
  /** The bytes that the load is of, as the first page to join wants them, see `JoinRequest`. */
  #wanted: readonly (string | null)[] | null = null;
  /** The ports of the pages that wait until the bytes are known. */
  readonly #waiting = new Set<MessagePort>();
  readonly #life = new SharedLife();
  #lastTurn: SharedTurn | null = null;
  // What pages that join later must know.
  #memoryBytes = 0;
  #check: BatchCheck | null = null;
  #compared: ProviderCheck | null = null;
  #costs: CostModelData | null = null;

  /** @param heapBytes returns the size of the WebAssembly memory */
  constructor(heapBytes: () => number) {
    this.#host = new SessionHost((notice) => this.say(notice), undefined, heapBytes);
    this.#runs = new MemberRuns(this.#host, (owners, timeoutMs) => this.#begin({ owners, timeoutMs }));
  }

  /** Sends a notice of the session to every page. */
  say(notice: WorkerNotice): void {
    // What may join must be known, and no page gets the bytes.
    if (notice.notice === "obtained" && notice.isPending === true) return;
    this.#note(notice);
    const told = notice.notice === "obtained" ? { ...notice, files: this.#life.files } : notice;
    for (const member of this.#members) member.say(told);
    for (const port of this.#waiting) post(port, { waiting: true });
  }

  /** Lets no other page join. */
  retire(): void {
    this.#life.retire();
  }

  /** Takes a page into the session, or says why not. @param lifeline name of the Web Lock that this worker holds */
  async join(port: MessagePort, request: JoinRequest["join"], lifeline: string): Promise<void> {
    const missing = await missingDevice(request);
    if (missing !== null) return post(port, { declined: missing });
    if (!(await isLockHeld(request.lock))) return post(port, { declined: UNSEEN });
    // Last, so that the session cannot retire before the page is a member.
    if (!(await this.#hasFiles(request.pinned, port))) return post(port, { declined: null });
    const { port1, port2 } = new MessageChannel();
    const member = new Member({
      session: port1,
      port,
      mayMerge: request.mayMerge,
      api: (own) => this.#apiFor(own),
      onShutDown: (own) => this.#leave(own),
    });
    this.#members.add(member);
    member.say({ notice: "ready", version: VERSION });
    member.say({ notice: "alive", lock: lifeline });
    if (this.#lastTurn !== null) this.#tell(member, this.#lastTurn);
    post(port, { session: port2 }, [port2]);
    this.#sayTabs();
    // The page releases its lock when it leaves, and the browser when the page closes or crashes.
    await navigator.locks.request(request.lock, () => this.#leave(member));
    member.close();
  }

  #apiFor(member: Member): ServedApi {
    return {
      load: (request) => this.#load(member, request),
      run: (request) => ("rows" in request ? this.#runs.run(member, request) : this.#host.run(request)),
      recall: (ids) => this.#host.recall(ids),
      learn: (learned) => {
        if ("costs" in learned) this.#costs = learned.costs;
        return this.#host.learn(learned);
      },
    };
  }

  /** Loads the model for the first page. The others get the same session. */
  async #load(member: Member, request: LoadRequest): Promise<Sent<LoadReply>> {
    if (this.#life.files.length > 0) {
      member.say({ notice: "obtained", files: this.#life.files });
      member.say({ notice: "memory", bytes: this.#memoryBytes });
    }
    this.#loading ??= this.#loadFirst(request);
    const reply = await this.#loading;
    if (reply.outcome !== "ready") this.retire();
    return { reply: this.#replyFor(request, reply), transfer: [] };
  }

  async #loadFirst(request: LoadRequest): Promise<LoadReply> {
    const { reply } = await this.#host.load(request);
    if (reply.outcome !== "ready") return reply;
    // No page has the bytes for the next worker, so that it must know which they are.
    await this.#life.settled;
    this.#runs.loaded(request, reply.model);
    return reply;
  }

  #replyFor({ location, externalData }: LoadRequest, reply: LoadReply): LoadReply {
    // Each page tries the remaining providers in the next worker, which obtains the files for itself.
    if (reply.outcome === "spent") return { ...reply, location, externalData };
    if (reply.outcome === "failed") return reply;
    const { model } = reply;
    const batchCheck = this.#check ?? model.batchCheck;
    const providerCheck = this.#compared ?? model.providerCheck;
    return { ...reply, model: { ...model, batchCheck, providerCheck, costs: this.#costs ?? model.costs } };
  }

  #begin(turn: SharedTurn): void {
    this.#lastTurn = turn;
    for (const member of this.#members) this.#tell(member, turn);
  }

  #tell(member: Member, { owners, timeoutMs }: SharedTurn): void {
    const isOwner = owners.has(member);
    const owner = owners.size > 1 ? "several" : isOwner ? "page" : "other";
    member.tellTurn({ owner, timeoutMs }, isOwner || this.#runs.isWaiting(member), performance.now());
  }

  /** Removes a page. Resolves when nothing is in progress that would outlive this worker, if that was the last one. */
  async #leave(member: Member): Promise<void> {
    this.#runs.remove(member);
    this.#members.delete(member);
    this.#sayTabs();
    if (this.#members.size > 0) return;
    this.retire();
    await this.#host.shutDown();
  }

  #sayTabs(): void {
    for (const member of this.#members) member.sayTabs(this.#members.size);
  }

  /**
   * Returns whether this session is of the bytes that a page wants. A page that wants the same as the first one shares
   * its load, and the failure of that load. Any other page waits until the bytes are known.
   */
  async #hasFiles(pinned: readonly (string | null)[], port: MessagePort): Promise<boolean> {
    this.#wanted ??= pinned;
    if (pinned.some((digest, index) => digest !== this.#wanted?.[index])) {
      this.#waiting.add(port);
      await this.#life.settled;
      this.#waiting.delete(port);
    }
    const isWanted = ({ sha256 }: ObtainedFile, index: number) => (pinned[index] ?? sha256) === sha256;
    return this.#life.state !== "retired" && this.#life.files.every(isWanted);
  }

  #note(notice: WorkerNotice): void {
    if (notice.notice === "obtained") {
      // Without the downloaded bytes: a page that kept them would load them in a worker of its own.
      this.#life.obtained(notice.files.map((file) => ({ ...file, blob: null })));
    } else if (notice.notice === "memory") this.#memoryBytes = notice.bytes;
    else if (notice.notice === "checked") this.#check = notice.check;
    else if (notice.notice === "compared") this.#compared = notice.check;
    else if (notice.notice === "lost") this.retire();
  }
}

/** Returns which device of the page's is missing here; `null` if none is. */
async function missingDevice({ needs }: JoinRequest["join"]): Promise<string | null> {
  const findDevice = deviceFinder(true);
  for (const provider of needs) {
    const device = await findDevice(provider);
    if ("missing" in device) return `no ${provider} in a shared worker: ${device.missing}`;
  }
  return null;
}

function post(port: MessagePort, message: SharedWorkerMessage, transfer: Transferable[] = []): void {
  port.postMessage(message, transfer);
}

/** What a shared session is to pages that want to join. */
type SharedState =
  /** The bytes that the session loads are not known: pages that want others than the first one wait. */
  | { readonly name: "loading" }
  /** Pages that want these files may join. */
  | { readonly name: "open"; readonly files: readonly ObtainedFile[] }
  /** The session is lost or was never ready, or its last page has left: no page may join. */
  | { readonly name: "retired"; readonly files: readonly ObtainedFile[] };

/**
 * The life of a shared session: its states and the transitions between them. docs/architecture.md draws it. `retired`
 * is final.
 */
class SharedLife {
  #state: SharedState = { name: "loading" };
  #settle: () => void = () => undefined;
  /** Resolves when the session is no longer loading. */
  readonly settled = new Promise<void>((resolve) => (this.#settle = resolve));

  get state(): SharedState["name"] {
    return this.#state.name;
  }

  /** The files that the session has obtained, the model first; none while they are not known. */
  get files(): readonly ObtainedFile[] {
    return this.#state.name === "loading" ? [] : this.#state.files;
  }

  /** `loading` → `open`. A session that is open or retired stays so. */
  obtained(files: readonly ObtainedFile[]): void {
    this.#enter({ name: this.#state.name === "retired" ? "retired" : "open", files });
  }

  /** Any state → `retired`. */
  retire(): void {
    this.#enter({ name: "retired", files: this.files });
  }

  #enter(state: SharedState): void {
    this.#state = state;
    this.#settle();
  }
}

/**
 * Starts the worker's side in a shared worker.
 * @param heapBytes returns the size of the WebAssembly memory
 */
export function startShared(heapBytes: () => number): void {
  const session = new SharedSession(heapBytes);
  const lifeline = lifelineOf(self.name);
  // A page that breaks the lock has found this worker broken: no page uses it any more.
  const held = new Promise<void>((resolve) => void holdLock(lifeline, resolve).catch(() => session.retire()));
  addEventListener("connect", (event) => {
    const [port] = event instanceof MessageEvent ? event.ports : [];
    port?.addEventListener("message", ({ data }: MessageEvent<PageMessage>) => {
      if ("join" in data) void held.then(() => session.join(port, data.join, lifeline));
    });
    port?.start();
  });
  // Browsers do not report errors of a shared worker to its pages.
  addEventListener("error", ({ error }) => session.say({ notice: "lost", error: encodeError(error) }));
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    session.say({ notice: "lost", error: encodeError(event.reason) });
  });
}

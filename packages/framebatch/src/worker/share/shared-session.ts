import type { CostModelData } from "../../core/cost/cost-model.js";
import type { BatchCheck, LoadReply, LoadRequest, ObtainedFile, WorkerNotice } from "../../transport/protocol.js";
import type { JoinRequest, SharedWorkerMessage } from "../../transport/sharing.js";
import type { Sent, ServedApi } from "../../transport/transport.js";
import { SessionHost } from "../host/session-host.js";
import { findDevice } from "../ort/device.js";
import { Member } from "./member.js";
import { MemberRuns } from "./member-runs.js";

/** The one session of a shared worker, and the pages that use it. The browser ends the worker with its last page. */
export class SharedSession {
  readonly #host: SessionHost;
  readonly #members = new Set<Member>();
  readonly #runs: MemberRuns;
  #loading: Promise<LoadReply> | null = null;
  /** Once set, no page may join: the session is lost or was never ready, or its last page has left. */
  #isRetired = false;
  // What pages that join later must know.
  #obtained: readonly ObtainedFile[] = [];
  #memoryBytes = 0;
  #check: BatchCheck | null = null;
  #costs: CostModelData | null = null;

  /** @param heapBytes returns the size of the WebAssembly memory */
  constructor(heapBytes: () => number) {
    this.#host = new SessionHost((notice) => this.say(notice), undefined, heapBytes);
    this.#runs = new MemberRuns(this.#host, (owners, rows) => this.#begin(owners, rows));
  }

  /** Sends a notice of the session to every page. */
  say(notice: WorkerNotice): void {
    this.#note(notice);
    for (const member of this.#members) member.say(notice);
  }

  /** Lets no other page join. */
  retire(): void {
    this.#isRetired = true;
  }

  /** Takes a page into the session, or says why not. @param lifeline name of the Web Lock that this worker holds */
  async join(port: MessagePort, request: JoinRequest["join"], lifeline: string): Promise<void> {
    const missing = await missingDevice(request);
    if (missing !== null) return post(port, { declined: missing });
    // Only a page that has loaded the model before knows its bytes.
    if (request.pinned.some((digest) => digest !== null)) await this.#loading;
    if (this.#isRetired || !this.#hasFiles(request.pinned)) return post(port, { declined: null });
    const { port1, port2 } = new MessageChannel();
    const member = new Member({
      session: port1,
      port,
      api: (own) => this.#apiFor(own),
      onShutDown: (own) => this.#leave(own),
    });
    this.#members.add(member);
    member.say({ notice: "ready" });
    member.say({ notice: "alive", lock: lifeline });
    post(port, { session: port2 }, [port2]);
    this.#sayTabs();
    // The page releases its lock when it leaves, and the browser when the page closes or crashes.
    await navigator.locks.request(request.lock, () => this.#leave(member));
    member.close();
  }

  #apiFor(member: Member): ServedApi {
    return {
      load: (request) => this.#load(member, request),
      run: (request) => this.#runs.run(member, request),
      stack: async (request) => {
        member.stackedRows = request.paddedSize;
        return this.#host.stack(request, member.large);
      },
      handle: (request) => this.#host.handle(request),
      recall: (ids) => this.#host.recall(ids),
      learn: (learned) => {
        if ("costs" in learned) this.#costs = learned.costs;
        return this.#host.learn(learned);
      },
    };
  }

  /** Loads the model for the first page. The others get the same session. */
  async #load(member: Member, request: LoadRequest): Promise<Sent<LoadReply>> {
    if (this.#obtained.length > 0) {
      member.say({ notice: "obtained", files: this.#obtained });
      member.say({ notice: "memory", bytes: this.#memoryBytes });
    }
    this.#loading ??= this.#loadFirst(request);
    const reply = await this.#loading;
    if (reply.outcome !== "ready") this.retire();
    return { reply: this.#replyFor(request, reply), transfer: [] };
  }

  async #loadFirst(request: LoadRequest): Promise<LoadReply> {
    const { reply } = await this.#host.load(request);
    if (reply.outcome === "ready") this.#runs.loaded(request, reply.model);
    return reply;
  }

  #replyFor({ location, externalData }: LoadRequest, reply: LoadReply): LoadReply {
    // Each page tries the remaining providers in the next worker, which gets the files from the cache.
    if (reply.outcome === "spent") return { ...reply, location, externalData };
    if (reply.outcome === "failed") return reply;
    const { model } = reply;
    const batchCheck = this.#check ?? model.batchCheck;
    return { ...reply, model: { ...model, batchCheck, costs: this.#costs ?? model.costs } };
  }

  #begin(owners: ReadonlySet<Member>, rows: number): void {
    const nowMs = performance.now();
    for (const member of this.#members) {
      const isOwner = owners.has(member);
      member.tellTurn(isOwner && owners.size === 1 ? 0 : rows, isOwner || this.#runs.isWaiting(member), nowMs);
    }
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

  #hasFiles(pinned: readonly (string | null)[]): boolean {
    return this.#obtained.every(({ sha256 }, index) => (pinned[index] ?? sha256) === (sha256 ?? pinned[index]));
  }

  #note(notice: WorkerNotice): void {
    if (notice.notice === "obtained") this.#obtained = notice.files.map(({ sha256 }) => ({ sha256, blob: null }));
    else if (notice.notice === "memory") this.#memoryBytes = notice.bytes;
    else if (notice.notice === "checked") this.#check = notice.check;
    else if (notice.notice === "lost") this.retire();
  }
}

/** Returns which device of the page's is missing here; `null` if none is. */
async function missingDevice({ needs }: JoinRequest["join"]): Promise<string | null> {
  for (const provider of needs) {
    const device = await findDevice(provider, true);
    if ("missing" in device) return `no ${provider} in a shared worker: ${device.missing}`;
  }
  return null;
}

function post(port: MessagePort, message: SharedWorkerMessage, transfer: Transferable[] = []): void {
  port.postMessage(message, transfer);
}

import { type InputPlan, planInputs } from "@framebatch/rows/collate/input-plan.js";
import {
  type AnsweredRows,
  entriesOf,
  type RowTensors,
  sizesOfRows,
  transferList,
} from "@framebatch/rows/collate/sent-rows.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type {
  FailedReply,
  LoadedModel,
  LoadRequest,
  PageNotice,
  RowsRequest,
  Turn,
  WorkerNotice,
} from "../../transport/protocol.js";
import { marked, type Sent, type ServedApi } from "../../transport/transport.js";
import { returned, type RowsReply } from "../../worker/host/replies.js";
import type { SessionHost } from "../../worker/host/session-host.js";
import { type Job, Turns } from "./turns.js";
import { setOwn } from "@framebatch/rows/tensor/tensor.js";
import { CostModel } from "@framebatch/batcher/cost/cost-model.js";
import { BatchLimits } from "@framebatch/batcher/engine/batch-limits.js";
import { bestSize } from "@framebatch/batcher/decide/best-size.js";
import { serve } from "../../transport/serve.js";
import type { PageMessage, TabsNotice } from "../tab-messages.js";

/** Maximum time without a word to a tab whose runs wait, in milliseconds. Its page then sees that the worker works. */
const SIGN_OF_LIFE_MS = 1000;

/** The parts of a member. */
interface MemberParts {
  /** The worker's end of the session's port. */
  readonly session: MessagePort;
  /** The port of the page for everything else, see `sharing.ts`. */
  readonly port: MessagePort;
  /** See `JoinRequest`. */
  readonly mayMerge: boolean;
  /** Returns the calls of the page. */
  readonly api: (member: Member) => ServedApi;
  /** Called when the page is about to leave. The page waits for the promise. */
  readonly onShutDown: (member: Member) => Promise<void>;
}

/** A page that uses the shared session. */
export class Member {
  /** Whether its tab is hidden. */
  isHidden = false;
  readonly mayMerge: boolean;
  readonly #session: MessagePort;
  readonly #port: MessagePort;
  /** The last notice "turn"; `null` before the first one. */
  #told: Turn | null = null;
  #toldAtMs = -Infinity;

  constructor({ session, port, mayMerge, api, onShutDown }: MemberParts) {
    this.mayMerge = mayMerge;
    this.#session = session;
    this.#port = port;
    const onNotice = (notice: PageNotice) => {
      if ("shutDown" in notice) void onShutDown(this).then(() => this.say({ notice: "shutDown" }));
    };
    serve(api(this), onNotice, session);
    session.start();
    port.addEventListener("message", ({ data }: MessageEvent<PageMessage>) => {
      if ("isHidden" in data) this.isHidden = data.isHidden;
    });
  }

  say(notice: WorkerNotice): void {
    this.#session.postMessage(marked(notice));
  }

  sayTabs(tabs: number): void {
    this.#port.postMessage({ tabs } satisfies TabsNotice);
  }

  /**
   * Tells the page that a run begins, if it must know: whenever its own runs begin to be executed, or those of others.
   * So it knows which run has ended the worker, if one does, and whether that was its own. A merged run is nobody's
   * own. It also knows how long a run of others may take, even if it asks for its own run only after that has begun:
   * the worker may be unable to tell it then.
   * @param isWaiting whether runs of this page wait, or are merged into this one
   */
  tellTurn(turn: Turn, isWaiting: boolean, nowMs: number): void {
    const told = this.#told;
    const isForeign = turn.owner !== "page";
    const isNews = turn.owner !== told?.owner || (isForeign && turn.timeoutMs > told.timeoutMs);
    const isSignDue = isForeign && isWaiting && nowMs - this.#toldAtMs >= SIGN_OF_LIFE_MS;
    if (!isNews && !isSignDue) return;
    this.#told = turn;
    this.#toldAtMs = nowMs;
    // The page may not hear of another run that begins within this time.
    this.say({ notice: "turn", turn: isForeign ? { ...turn, timeoutMs: turn.timeoutMs + SIGN_OF_LIFE_MS } : turn });
  }

  close(): void {
    this.#session.close();
    this.#port.close();
  }
}

/** A run of a page. */
interface MemberJob extends Job {
  readonly member: Member;
  readonly request: RowsRequest;
  readonly answer: (sent: Sent<RowsReply>) => void;
}

/** The reply to a run that did not have its turn before its page left. */
const LEFT: FailedReply = {
  ok: false,
  error: encodeError(new FramebatchError("DISPOSED", "the page has left the shared session")),
  fatal: false,
};

/** Runs the batches of all pages: in turns, or merged where that pays. */
export class MemberRuns {
  readonly #host: SessionHost;
  readonly #turns: Turns<Member, MemberJob>;
  /** The inputs of a model whose runs can be joined; otherwise `null`. */
  #plans: readonly InputPlan[] | null = null;
  #sizes = new RunSizes(1);

  /** @param onTurn see `JobRunner` */
  constructor(host: SessionHost, onTurn: (members: ReadonlySet<Member>, timeoutMs: number) => void) {
    this.#host = host;
    this.#turns = new Turns({
      onTurn,
      sizeFor: ({ request }, queued, waiting) => this.#sizes.size(queued, waiting, volumeOf(request.extents)),
      runAlone: (job) => this.#runAlone(job),
      runTogether: (jobs) => this.#runTogether(jobs),
      drop: ({ request, answer }) => answer(returned(LEFT, request)),
    });
  }

  /** Allows to merge runs of this model. */
  loaded({ maxBatchSize, allowedBatchSizes }: LoadRequest, { signature, padding, maxRows }: LoadedModel): void {
    this.#sizes = new RunSizes(Math.min(maxBatchSize, maxRows ?? Infinity));
    // Pages have already padded their batches to the sizes that are allowed.
    this.#plans = allowedBatchSizes.length > 0 || !canJoin(signature) ? null : planInputs(signature, padding);
  }

  /** Returns whether a run of a page waits for its turn. */
  isWaiting(member: Member): boolean {
    return this.#turns.isWaiting(member);
  }

  /** Runs a batch of a page. Fails if the page is removed first. */
  run(member: Member, request: RowsRequest): Promise<Sent<RowsReply>> {
    const { rows, extents, timeoutMs = 0 } = request;
    const mayMerge = request.mayMerge === true && member.mayMerge && this.#plans !== null;
    const kind = mayMerge ? extents.join() : null;
    return new Promise((answer) =>
      this.#turns.add(member, { rows: rows.count, timeoutMs, kind, member, request, answer }),
    );
  }

  /** Gives a page the rows of its runs that wait back: it may have no copy, and may run them elsewhere. */
  remove(member: Member): void {
    this.#turns.remove(member);
  }

  async #runAlone({ request, answer }: MemberJob): Promise<void> {
    answer(await this.#run(request));
  }

  async #runTogether(jobs: readonly MemberJob[]): Promise<boolean> {
    const request = joinRuns(
      this.#plans!,
      jobs.map((job) => job.request),
    );
    const { reply } = await this.#run(request);
    if (!reply.ok) {
      const { rows, extents } = request;
      if (reply.error.code === "OUT_OF_MEMORY")
        this.#sizes.foundNoMemory({ rows: rows.count, volume: volumeOf(extents) });
      return false;
    }
    const parts = splitByRun(
      reply.outputs,
      jobs.map(({ rows }) => rows),
    );
    for (const [index, outputs] of parts.entries()) {
      const sent = { ...reply, outputs, rows: request.rows.count };
      jobs[index]!.answer({ reply: sent, transfer: transferList(outputs) });
    }
    return true;
  }

  /** Runs rows, and records how long that kept the worker busy. */
  async #run(request: RowsRequest): Promise<Sent<RowsReply>> {
    const startedAtMs = performance.now();
    const sent = await this.#host.runRows(request);
    const shape = { rows: request.rows.count, volume: volumeOf(request.extents) };
    if (sent.reply.ok) this.#sizes.observe(shape, performance.now() - startedAtMs);
    return sent;
  }
}

function canJoin({ inputs, outputs, fixedBatch }: ModelSignature): boolean {
  return fixedBatch === null && [...inputs, ...outputs].every(({ batchAxis }) => batchAxis !== null);
}

/** Returns one run with the rows of several, which have equal extents. Shares their memory. */
export function joinRuns(plans: readonly InputPlan[], requests: readonly RowsRequest[]): RowsRequest {
  const columns = plans.map((plan, input) =>
    requests.flatMap(({ rows }) => entriesOf(plan, rows.columns[input] ?? [], sizesOfRows(rows))),
  );
  const sizes = requests.flatMap(({ rows }) => rows.sizes);
  const count = requests.reduce((sum, { rows }) => sum + rows.count, 0);
  return { rows: { count, sizes, columns }, paddedSize: count, extents: requests[0]?.extents ?? [] };
}

/** Returns the outputs of each run, in memory of their own. @param counts the number of rows of each run */
export function splitByRun(outputs: AnsweredRows, counts: readonly number[]): AnsweredRows[] {
  let end = 0;
  return counts.map((count) => {
    const start = end;
    end += count;
    const part: Record<string, RowTensors> = {};
    for (const [name, rows] of Object.entries(outputs)) setOwn(part, name, sliceRows(rows, start, end));
    return part;
  });
}

function sliceRows(rows: RowTensors, start: number, end: number): RowTensors {
  if (!("data" in rows)) return rows.slice(start, end);
  const length = volumeOf(rows.dims.slice(1));
  return { ...rows, dims: rows.dims.with(0, end - start), data: rows.data.slice(start * length, end * length) };
}

/** A run, as the cost model knows it. */
interface RunShape {
  readonly rows: number;
  /** Number of elements in the inputs of a row. */
  readonly volume: number;
}

/**
 * How many of the rows that wait should run as one. Decides as the planner of a page does, by the time until all have
 * their answers, but with the run times in this worker: messages take a page as long whether its run is merged or not.
 */
export class RunSizes {
  readonly #cost: CostModel;
  readonly #limits: BatchLimits;

  /** @param maxBatchSize maximum number of rows in a run */
  constructor(maxBatchSize: number) {
    this.#cost = new CostModel(maxBatchSize);
    this.#limits = new BatchLimits({ maxBatchSize }, this.#cost);
  }

  /** Records how long a run kept the worker busy, in milliseconds, merging and splitting included. */
  observe({ rows, volume }: RunShape, ms: number): void {
    this.#cost.observe(rows, volume, ms);
  }

  /** Records that there was no memory for a run. */
  foundNoMemory({ rows, volume }: RunShape): void {
    this.#limits.foundNoMemory(rows, volume);
  }

  /**
   * Returns the maximum number of rows in the next run; 0 while no run time is known.
   * @param queued number of rows of this volume that can run together
   * @param waiting number of all rows that wait, including those that cannot run with these
   */
  size(queued: number, waiting: number, volume: number): number {
    if (!this.#cost.isKnown) return 0;
    const limit = Math.min(queued, this.#limits.fitting(volume));
    return bestSize(this.#cost, { queued, limit, volume, hiddenMs: 0 }, { isAlone: false, waiting, ratePerMs: 0 });
  }
}

import { type InputPlan, planInputs } from "@framebatch/rows/collate/input-plan.js";
import { transferList } from "@framebatch/rows/collate/sent-rows.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { FailedReply, LoadedModel, LoadRequest, RowsRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import { returned, type RowsReply } from "../host/returned-rows.js";
import type { SessionHost } from "../host/session-host.js";
import { joined, parted } from "./joined-runs.js";
import type { Member } from "./member.js";
import { RunSizes } from "./run-sizes.js";
import { type Job, Turns } from "./turns.js";

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
    const request = joined(
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
    const parts = parted(
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

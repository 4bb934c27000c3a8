import { RunMerger } from "../../core/collate/run-merger.js";
import { transferList } from "../../core/collate/transfer-list.js";
import { RunSizes, type RunShape } from "../../core/schedule/run-sizes.js";
import type { LoadedModel, LoadRequest, RunReply, RunRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { SessionHost } from "../host/session-host.js";
import { rowsIn } from "../samples/items.js";
import type { Member } from "./member.js";
import { type Job, Turns } from "./turns.js";

/** A run of a page. */
interface MemberJob extends Job {
  readonly member: Member;
  readonly request: RunRequest;
  readonly answer: (sent: Sent<RunReply>) => void;
}

/** Runs the batches of all pages: in turns, or merged where that pays. */
export class MemberRuns {
  readonly #host: SessionHost;
  readonly #turns: Turns<Member, MemberJob>;
  #merger: RunMerger | null = null;
  #sizes = new RunSizes(1);

  /** @param onTurn see `JobRunner` */
  constructor(host: SessionHost, onTurn: (members: ReadonlySet<Member>, timeoutMs: number) => void) {
    this.#host = host;
    this.#turns = new Turns({
      onTurn,
      sizeFor: ({ request, rows }, queued, waiting) => this.#sizes.size(queued, waiting, shapeOf(request, rows).volume),
      runAlone: (job) => this.#runAlone(job),
      runTogether: (jobs) => this.#runTogether(jobs),
    });
  }

  /** Allows to merge runs of this model. */
  loaded({ maxBatchSize, allowedBatchSizes }: LoadRequest, { signature, maxRows }: LoadedModel): void {
    this.#sizes = new RunSizes(Math.min(maxBatchSize, maxRows ?? Infinity));
    // Pages have already padded their batches to the sizes that are allowed.
    this.#merger = allowedBatchSizes.length > 0 ? null : RunMerger.for(signature);
  }

  /** Returns whether a run of a page waits for its turn. */
  isWaiting(member: Member): boolean {
    return this.#turns.isWaiting(member);
  }

  /** Runs a batch of a page. Never settles if the page is removed first. */
  run(member: Member, request: RunRequest): Promise<Sent<RunReply>> {
    const { feeds, timeoutMs = 0 } = request;
    const mayMerge = request.mayMerge === true && member.mayMerge;
    const { signature } = this.#host;
    const rows = feeds === "stacked" || signature === null ? member.stackedRows : rowsIn(signature, feeds);
    const kind = mayMerge && feeds !== "stacked" ? (this.#merger?.kindOf(feeds) ?? null) : null;
    return new Promise((answer) =>
      this.#turns.add(member, { rows: Math.max(1, rows), timeoutMs, kind, member, request, answer }),
    );
  }

  /** Drops the runs of a page that wait. */
  remove(member: Member): void {
    this.#turns.remove(member);
  }

  async #runAlone({ member, request, rows, answer }: MemberJob): Promise<void> {
    const shape = shapeOf(request, rows);
    const startedAtMs = performance.now();
    const sent = await this.#host.run(request, member.large);
    if (sent.reply.ok) this.#sizes.observe(shape, performance.now() - startedAtMs);
    answer(sent);
  }

  async #runTogether(jobs: readonly MemberJob[]): Promise<boolean> {
    const counts = jobs.map(({ rows }) => rows);
    const rows = counts.reduce((sum, count) => sum + count, 0);
    const shape = { rows, volume: shapeOf(jobs[0]!.request, jobs[0]!.rows).volume };
    const startedAtMs = performance.now();
    try {
      const reply = await this.#host.serve(this.#merger!.merge(jobs.map(({ request }) => feedsOf(request))));
      if (!reply.ok) {
        if (reply.error.code === "OUT_OF_MEMORY") this.#sizes.foundNoMemory(shape);
        return false;
      }
      const { inferenceMs } = reply;
      const parts = this.#merger!.split(reply.outputs, counts);
      this.#sizes.observe(shape, performance.now() - startedAtMs);
      for (const [index, outputs] of parts.entries()) {
        jobs[index]!.answer({ reply: { ok: true, outputs, inferenceMs, rows }, transfer: transferList(outputs) });
      }
      return true;
    } catch {
      // There was no memory for the copy, or the outputs have no rows. Each page then learns it from its own run.
      return false;
    }
  }
}

function feedsOf({ feeds }: RunRequest): Exclude<RunRequest["feeds"], "stacked"> {
  return feeds === "stacked" ? {} : feeds;
}

function shapeOf(request: RunRequest, rows: number): RunShape {
  const elements = Object.values(feedsOf(request)).reduce((sum, { data }) => sum + data.length, 0);
  return { rows, volume: elements / rows };
}

import type { Sent, ServedApi } from "../../transport/transport.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import { MAX_KEPT_BYTES } from "../../kept/kept-messages.js";
import type {
  ItemNotice,
  Learned,
  LoadReply,
  LoadRequest,
  RowsRequest,
  Trial,
  WorkerNotice,
} from "../../transport/protocol.js";
import { canDigest } from "../../store/digest.js";
import { hostTimer } from "@framebatch/host/host-timer.js";
import { ModelDatabase } from "../../store/model-database.js";
import { type JudgedWay, noneWorks, providersHere, startLoad } from "../session/started-load.js";
import { type FeedsReply, type InTurn, type RunModel, type Serve, NO_DEVICE_TENSORS } from "../session/feeds-reply.js";
import { tryProvider, type Backend, type TrialMeans } from "../session/trial.js";
import type { Finding } from "../../verification/worker/batch-check.js";
import { subjectFor } from "../session/checked-session.js";
import { runBackgroundWarmUp } from "../session/background-warm-up.js";
import { rowsIn } from "../../verification/worker/items.js";
import { keptKnown } from "../files/known-model.js";
import { dropOnArrival, type ModelFiles } from "../files/model-files.js";
import type { PlacedFacts } from "../files/model-profile.js";
import { describeModel, isFinal, successOf, type RowsReply } from "./replies.js";
import { RunLock } from "./run-lock.js";
import { type KeptParts, keptParts, KeptRows } from "../../kept/worker/kept-rows.js";
import { NO_ROWS, RowRuns } from "./row-runs.js";
import { nextTask } from "../ort/next-task.js";
import { checkedBackend } from "../session/rebatched-session.js";
import type { Tensors } from "../../verification/worker/check-runs.js";
import { HandledBatches } from "../../handlers/worker/handled-batches.js";
import type { AnyHandlers } from "../../handlers/worker/handlers.js";
import { type Exclusively, openEngine } from "../../handlers/worker/open-engine.js";
import { handlersFor, Registration } from "../../handlers/worker/registration.js";
import { ItemBatches, NO_WORK, turnOf } from "../../handlers/worker/item-batches.js";
import { type CommonParts, MemoryReport, SessionRuns } from "./session-runs.js";
import { compareProviders, type Comparing } from "./provider-comparison.js";
import { samplesOf, NO_TEXTS, textsOf } from "./texts-of.js";
import { Verification } from "../../verification/worker/verification.js";

/** Owns the session of one model. Only a group releases it: elsewhere the end of the worker frees everything. */
export class SessionHost implements ServedApi {
  readonly #say: (notice: WorkerNotice) => void;
  readonly #lock: CommonParts["lock"];
  readonly #common: CommonParts | null;
  #database: ModelDatabase | null = null;
  /** Aborted by `shutDown`. */
  readonly #end = new AbortController();
  #early: TrialMeans["early"] | null = null;
  #backend: Backend | null = null;
  /** Runs batches of rows. Refuses them while no model is loaded. */
  #rows: Pick<RowRuns, "run" | "endSequence" | "release"> = NO_ROWS;
  /** Stores which way to run is best; `null` before the model's files are there. */
  #ways: Pick<PlacedFacts, "write"> | null = null;
  readonly #runs: SessionRuns;
  /** The texts of a model that generates; those of none while no such model is loaded. */
  #texts = NO_TEXTS;
  /** Runs batches of items, once a model with handlers or an engine is loaded. */
  #handled: ItemBatches;
  readonly #registration: Pick<Registration, "handlers" | "engine">;
  readonly #memory: MemoryReport;
  readonly #keptRows: KeptRows;
  /** What keeps outputs on the device; `null` while no model is loaded. */
  #kept: KeptParts | null = null;
  /** Checks real batches; `null` once it is known whether batches can be trusted. */
  #verification: Verification | null = null;
  /** Compares the answers with those of WASM; `null` while no model is loaded. */
  #comparing: Comparing | null = null;

  /**
   * @param registration what the worker's module gives
   * @param heapBytes returns the size of the WebAssembly memory, of which a model has all if it is the only one
   * @param common what it shares with the other models of this worker; default: this is the only one
   * @param told resolves when the page would notice the end of this worker: nothing blocks the thread before
   */
  constructor(
    say: (notice: WorkerNotice) => void,
    registration: Pick<Registration, "handlers" | "engine"> = new Registration(),
    heapBytes: () => number = () => 0,
    common: CommonParts | null = null,
    told: Promise<unknown> = Promise.resolve(),
  ) {
    this.#say = say;
    this.#handled = new ItemBatches(NO_WORK, say);
    this.#lock = common?.lock ?? new RunLock(hostTimer, told);
    this.#common = common;
    this.#registration = registration;
    this.#memory = new MemoryReport(heapBytes, common?.memory ?? null, say);
    this.#runs = new SessionRuns(say, this.#memory);
    this.#keptRows = common?.kept ?? new KeptRows(MAX_KEPT_BYTES);
  }

  async load(asked: LoadRequest): Promise<Sent<LoadReply>> {
    if (asked.served === "engine") return this.#loadEngine(asked);
    const trials: Trial[] = [];
    let arriving: Promise<ModelFiles> | null = null;
    try {
      // Without a secure context no digest can be computed, and cached files without a digest check are not trusted.
      const database = (this.#database = asked.cache && canDigest() ? new ModelDatabase() : null);
      const { way, means, ...started } = await startLoad(asked, database, trials, this.#say, this.#common, this.#end);
      this.#early = means.early;
      arriving = started.files;
      const handlers = await handlersFor(way.request, this.#registration);
      const files = await arriving;
      if (way.context !== null && database !== null) this.#ways = keptKnown(asked, way.context, files, database);
      const reply = await this.#lock.run(() =>
        // A load that fails has made the memory grow, too.
        this.#choose(files, way, handlers, means, trials).finally(() => this.#memory.report()),
      );
      const [lock, kept] = [this.#lock, this.#kept];
      if (handlers !== null && this.#backend !== null) {
        const work = new HandledBatches(handlers, this.#backend, way.request.allowedBatchSizes, kept);
        this.#handled = new ItemBatches(work, this.#say);
      }
      this.#texts = textsOf(way.request, handlers, lock, kept, this.#comparing, () => this.#backend, this.#runs);
      if (reply.outcome === "ready") void this.#runBackgroundWarmUp(way.request).catch(() => undefined);
      return { reply, transfer: [] };
    } catch (error) {
      return { reply: { outcome: "failed", trials, error: encodeError(error) }, transfer: [] };
    } finally {
      if (arriving !== null) dropOnArrival(arriving);
    }
  }

  async #loadEngine(request: LoadRequest): Promise<Sent<LoadReply>> {
    const exclusively: Exclusively = (call) => this.#lock.run(call).finally(() => this.#memory.report());
    const { reply, batches } = await openEngine(request, this.#registration, this.#say, exclusively);
    if (batches !== null) this.#handled = new ItemBatches(batches, this.#say);
    this.#memory.report();
    return { reply, transfer: [] };
  }

  /**
   * Stops the use of the cache and the engine. Resolves when nothing is in progress that would outlive this worker, or
   * that its termination must not interrupt.
   */
  shutDown(): Promise<void> {
    this.#end.abort();
    const early = this.#common?.runtime.early ?? this.#early;
    if (early?.isCompiling) this.#say({ notice: "compiling" });
    return Promise.all([early?.settled(), this.#database?.shutDown()]).then(() => this.#handled.dispose());
  }

  /** Frees the memory of the model. Call it when the load has ended. */
  async release(): Promise<void> {
    await this.#lock.run(async () => {
      const backend = this.#backend;
      this.#backend = null;
      this.#comparing?.close();
      for (const runs of [this.#rows, this.#handled, this.#texts]) runs.release();
      this.#rows = NO_ROWS;
      await Promise.allSettled([backend?.session.release(), backend?.original?.release()]);
    });
  }

  readonly learn = async (learned: Learned): Promise<Sent<void>> => {
    await ("costs" in learned ? this.#backend?.facts : this.#ways)?.write(learned);
    return { reply: undefined, transfer: [] };
  };

  /** Runs rows of tensors, texts, or items for what the module of the worker serves. */
  readonly run: ServedApi["run"] = (request) => {
    if ("rows" in request) return this.#rows.run(request);
    if ("texts" in request) return this.#texts.run(request);
    return this.#handled.run(request, turnOf(request, this.#lock, this.#serveNow));
  };

  readonly runRows = (request: RowsRequest): Promise<Sent<RowsReply>> => this.#rows.run(request);

  /** Gives items back that no batch will contain here. */
  readonly recall: ServedApi["recall"] = (ids) => this.#handled.recall(ids);

  /** Takes a notice of the page about items, sequences or tensors. */
  hear(notice: ItemNotice): void {
    if ("released" in notice) this.#keptRows.release(notice.released);
    else if ("delivered" in notice) this.#handled.deliver(notice.delivered);
    else if ("withdrawn" in notice) this.#handled.withdraw(notice.withdrawn);
    else for (const runs of [this.#rows, this.#handled]) runs.endSequence(notice.endedSequence);
  }

  /** Gives requests their turn. */
  readonly #inTurn: InTurn = (task) => this.#lock.run(() => task(this.#serveNow));

  readonly #runFeeds = (feeds: Tensors) => this.#lock.run(() => this.#serveNow((run) => run(feeds)));

  /** Runs what has the turn. A failure becomes a reply. */
  readonly #serveNow: Serve = async (turn, onBegin) => {
    onBegin?.();
    try {
      return await turn(this.#runForRows);
    } catch (thrown) {
      return this.#runs.failed(thrown);
    }
  };

  /**
   * Completes the check of batches if it is pending, then continues the warm-up in the background. On WASM a run blocks
   * the thread, so each one first lets the requests in that have arrived meanwhile.
   */
  async #runBackgroundWarmUp(request: LoadRequest): Promise<void> {
    const backend = this.#backend;
    if (backend === null) return;
    if (backend.batchCheck.outcome === "inconclusive") await this.#verify(backend, request);
    if (this.#backend?.batchCheck.outcome === "failed") return;
    const run = async (feeds: Tensors) => {
      await nextTask();
      return successOf(await this.#lock.runWhenIdle(() => this.#runs.run(this.#backend, feeds)));
    };
    await runBackgroundWarmUp(backend, request, run, this.#say);
  }

  /**
   * Makes the part of the check for which there was no time before the model was ready. If its outcome is inconclusive,
   * the items of requests decide. The runs take turns with those of requests.
   */
  async #verify(backend: Backend, request: LoadRequest): Promise<void> {
    const run = async (feeds: Tensors) => {
      await nextTask();
      return successOf(await this.#lock.run(() => this.#runCheck(backend, feeds))).outputs;
    };
    const subject = subjectFor(backend, request, run);
    const verification = new Verification(subject, (finding) => this.#found(finding));
    this.#verification = verification;
    const { pendingCheck } = backend;
    if (pendingCheck !== null) await verification.make(() => pendingCheck.within(Infinity, { alone: run, batch: run }));
  }

  async #runCheck({ signature }: Backend, feeds: Tensors): Promise<FeedsReply> {
    this.#say({ notice: "checking", rows: rowsIn(signature, feeds) });
    const reply = await this.#runs.run(this.#backend, feeds);
    // If the run has ended the worker, the page must know that it was a run of the check.
    if (!this.#runs.areLost) this.#say({ notice: "checking", rows: 0 });
    return reply;
  }

  /**
   * Applies the outcome of a check that ended after the model was ready. Releases either the rewritten model or its
   * original: only one of them is needed from now on.
   */
  #found(finding: Finding): void {
    const backend = this.#backend;
    if (backend === null || finding.outcome === "inconclusive") return;
    this.#verification = null;
    const { checked, spare } = checkedBackend(backend, finding);
    const { batchCheck } = (this.#backend = checked);
    if (spare !== null) void this.#lock.run(() => spare.release()).catch(() => undefined);
    this.#say({ notice: "checked", check: batchCheck });
    void backend.facts.write({ batchCheck });
  }

  /** Tries the providers in order, until one runs or no other can be tried in this worker. */
  async #choose(
    files: ModelFiles,
    way: JudgedWay,
    handlers: AnyHandlers | null,
    means: TrialMeans,
    trials: Trial[],
  ): Promise<LoadReply> {
    const [{ request }, { totalBytes, fromCache }] = [way, files];
    const samplesFor = samplesOf(request, handlers);
    for (const provider of providersHere(request)) {
      const result = await tryProvider(provider, files, request, means, {
        onPhase: (phase) => {
          this.#say({ notice: "progress", provider, phase, loadedBytes: totalBytes, totalBytes });
          // Cache the files now that ONNX Runtime accepts them. Waits only before another worker continues the load.
          if (phase === "warmup" && !files.isPending) void files.keep();
        },
        onRuntimeBytes: (runtime) =>
          this.#say({ notice: "progress", provider, phase: "runtime", loadedBytes: totalBytes, totalBytes, runtime }),
        onChecking: (rows) => this.#say({ notice: "checking", rows }),
        samplesFor,
      });
      const reason = result.kind === "failed" ? result.error.message : result.reason;
      trials.push({ provider, chosen: result.kind === "ready", reason });
      if (result.kind === "ready") {
        this.#memory.loaded(totalBytes);
        // To digest large files before would take time from the first answer.
        if (files.isPending) void files.keep();
        const backend = this.#adopt(result.backend);
        this.#comparing = compareProviders(backend, way, files, this.#lock, this.#say, this.#runs.failed);
        return { outcome: "ready", trials, model: describeModel(backend, way, files, this.#comparing.check) };
      }
      if (result.kind === "failed") {
        const isLast = provider === request.providers.at(-1) && result.maxRows === null;
        if (result.error.code !== "MODEL_INVALID") await files.keepInTime();
        if (isLast || isFinal(result.error)) throw result.error;
        return { outcome: "spent", trials, ...files.handOver(), fromCache, maxRows: result.maxRows };
      }
    }
    if (trials.at(-1)?.provider === request.providers.at(-1)) throw noneWorks(trials);
    return { outcome: "spent", trials, ...files.handOver(), fromCache, maxRows: null };
  }

  #adopt(backend: Backend): Backend {
    // A check that is open needs the items of requests, and the original of a rewritten model is another session.
    const isOpen = () => this.#verification !== null || this.#comparing?.needsElements === true;
    const mayStay = () => !isOpen() && this.#backend?.original === null;
    this.#kept = keptParts(this.#keptRows, backend, mayStay);
    this.#backend = backend;
    this.#rows = new RowRuns(backend, this.#inTurn, this.#runFeeds, this.#kept);
    backend.device?.whenEnded((error) => this.#runs.lose(error));
    return backend;
  }

  readonly #runForRows: RunModel = async (feeds, tensors = NO_DEVICE_TENSORS) => {
    const reply = await this.#runs.run(this.#backend, feeds, tensors);
    if (reply.ok) this.#verification?.saw(feeds, reply.outputs);
    if (reply.ok) this.#comparing?.saw?.(feeds, tensors, reply.outputs);
    return reply;
  };
}

import { type ExecutionProvider, traitsOf } from "../../transport/providers.js";
import type { InferenceSession } from "onnxruntime-web/wasm";
import { type DeclaredSignature, declaredSignature } from "@framebatch/rows/model/batch-axis.js";
import { planStates, type StateTensor, withoutStates } from "@framebatch/rows/model/recurrence.js";
import {
  type ModelSignature,
  outputNames,
  type TensorMetadata,
  wantedOutputs,
} from "@framebatch/rows/model/signature.js";
import { planPadding, type PaddingPlan } from "@framebatch/rows/padding/padding-plan.js";
import type { BatchCheck, LoadRequest } from "../../transport/protocol.js";
import type { Facts } from "../../store/model-facts.js";
import { knownAxes } from "../../generation/decoder.js";
import {
  checkGenerated,
  checkItems,
  type CheckSubject,
  COMPARED_ITEMS,
  PacedCheck,
  provedBy,
  type RunPaths,
} from "../../verification/worker/batch-check.js";
import type { PlacedFacts } from "../files/model-profile.js";
import { type GeneratedItem, rowsIn } from "../../verification/worker/items.js";
import { OutputProbe } from "../graph/output-probe.js";
import { UNREADABLE, readGraph, type GraphReading } from "../graph/graph-reading.js";
import type { RunFeeds } from "../../verification/worker/check-runs.js";
import { endsWorker } from "../ort/runtime-error.js";
import type { Runtime } from "../ort/runtime-handover.js";
import { readSamples, type SampledModel, type Samples } from "../../verification/worker/samples.js";
import { fromOutputs, toFeeds } from "../ort/tensor-bridge.js";
import { warmUp, type WarmUpResult } from "./warm-up.js";

/** Maximum number of rows in the largest batch that a check compares: more may need memory that no request needs. */
const MAX_WIDE_ROWS = 32;
/** Maximum predicted time of a run of that batch, in milliseconds: a request may arrive during it. */
const MAX_WIDE_MS = 100;
/** Maximum number of its rows if the time of a run is unknown. */
const UNTIMED_ROWS = 8;

/** Everything needed to create the sessions of one model. */
export interface SessionMaker {
  readonly runtime: Runtime;
  readonly provider: ExecutionProvider;
  readonly request: LoadRequest;
  readonly bytes: ArrayBuffer;
  /** Returns what earlier sessions learned about the model, where their checks compared these items. */
  readonly factsFor: (items: readonly GeneratedItem[]) => Promise<PlacedFacts>;
  /** Adds to outputs what the file tells of them. */
  describe(outputs: readonly TensorMetadata[]): readonly TensorMetadata[];
  /** Creates a session, which is released at the end of the trial unless its backend has it. */
  create(bytes: Uint8Array): Promise<InferenceSession>;
  /** Resolves when it is certain that the last run has succeeded. @throws the error of a run that has failed */
  readonly settled: () => Promise<void>;
  /** Returns the user's samples as tensors. @throws HANDLER_FAILED */
  readonly samplesFor: (signature: ModelSignature) => Promise<readonly unknown[]>;
  /** Called before and after each run of a check, with the numbers of the notice "checking". */
  readonly onChecking: (rows: number) => void;
}

/** A session after its warm-up, and the inputs that its model accepts. */
export interface WarmSession {
  readonly session: InferenceSession;
  readonly signature: ModelSignature;
  readonly padding: PaddingPlan;
  /** Inputs and outputs of the signature that no item and no answer has. */
  readonly states: readonly StateTensor[];
  readonly samples: Samples | null;
  readonly warmedUp: WarmUpResult;
  readonly graph: GraphReading;
  /** Outputs that each item of a batch gets whole, although the user has not said so. */
  readonly sharedUnasked: ReadonlySet<string>;
  /** What earlier sessions learned about this model on this provider and adapter. */
  readonly known: Facts;
  /** Stores what this session learns. */
  readonly facts: PlacedFacts;
}

/** A session with the result of the check of its batches. */
export interface CheckedSession extends WarmSession {
  readonly batchCheck: BatchCheck;
  /** Whether the check has found that items mix. False for an outcome of an earlier session. */
  readonly isMixing: boolean;
  /** The check that goes on after the model is ready; `null` if none does. */
  readonly pendingCheck: PacedCheck | null;
  /** Runs single items until a rewritten model has passed its check; `null` if `session` runs everything. */
  readonly original: InferenceSession | null;
  readonly isRebatched: boolean;
}

/**
 * Creates a session and warms it up. Calls `onMade` in between.
 *
 * @param declared returns what the model declares, if its session does not tell
 * @throws the errors of ONNX Runtime, `declaredSignature`, `planStates`, `planPadding`, `readSamples` and `warmUp`
 */
export async function createWarm(
  maker: SessionMaker,
  bytes: Uint8Array,
  onMade: () => void = () => undefined,
  declared: DeclaredSignature | null = null,
): Promise<WarmSession> {
  const session = await maker.create(bytes);
  onMade();
  const { recurrent, outputs: wanted, padding: asked, generate } = maker.request;
  const axes = generate === undefined ? {} : knownAxes(session.inputMetadata, generate);
  const batchAxis = { ...axes, ...maker.request.batchAxis };
  const described = () => wantedOutputs(maker.describe(session.outputMetadata), wanted, recurrent);
  const says = declared ?? declaredSignature(session.inputMetadata, described(), batchAxis);
  // Several rows may have ended an earlier worker of this page, which knows what they have shown.
  const earlier = mayEndWorker(maker) ? maker.request.signature : null;
  const outputs = new OutputProbe(says, bytes, mayEndWorker(maker) ? 1 : Infinity, earlier?.outputs);
  const likely = outputs.declared;
  const padding = planPadding(likely, asked);
  const samples = await samplesOf(maker, { signature: likely, padding, states: planStates(likely, recurrent) });
  const facts = await maker.factsFor(samples?.items ?? []);
  const known = await facts.read();
  const hasFailed = known.batchCheck?.outcome === "failed";
  const request = hasFailed ? { ...maker.request, maxBatchSize: 1 } : maker.request;
  const warmedUp = await warmUp({ ...maker, session, signature: likely, padding, samples, outputs }, request);
  const signature = outputs.settled();
  const states = planStates(signature, recurrent);
  const sharedUnasked = outputs.inferredWhole();
  const isRead =
    hasFailed || isUndecided(maker, known) || (maker.request.verifyBudgetMs === null && sharedUnasked.size > 0);
  const graph = isRead ? readGraph(outputs.flows, signature) : UNREADABLE;
  return { session, signature, padding, states, samples, warmedUp, graph, known, facts, sharedUnasked };
}

/** Whether a batch has perhaps ended a worker of this page, which must not happen again. */
function mayEndWorker({ provider, request: { found } }: SessionMaker): boolean {
  return found.some((verdict) => verdict.provider === provider && verdict.batchCheck.outcome === "failed");
}

async function samplesOf(maker: SessionMaker, model: SampledModel): Promise<Samples | null> {
  return readSamples(model, await maker.samplesFor(withoutStates(model)));
}

/** Returns true if a check may still be made. Otherwise, reading the graph would only cost time. */
function isUndecided({ request }: SessionMaker, { batchCheck }: Facts): boolean {
  return request.verifyBudgetMs !== null && (batchCheck === null || batchCheck.outcome === "inconclusive");
}

/**
 * Checks whether a batch returns the same outputs as its items run one by one. Uses the result of an earlier session if
 * there is one. Otherwise compares samples or generated items. If that is predicted to take longer than the load may
 * wait for it, or does, the outcome is "inconclusive", and the rest of the check is pending.
 *
 * Waits for the check of a model with a fixed batch of several rows, however long it takes: it cannot run item by item.
 *
 * @param original session of the original model, which runs the items of a rewritten model one by one
 * @throws an error that ends the worker
 */
export async function checkSession(
  maker: SessionMaker,
  warm: WarmSession,
  original: WarmSession = warm,
): Promise<CheckedSession> {
  const { verifyBudgetMs } = maker.request;
  if (verifyBudgetMs === null) return uncheckedAsAsked(warm);
  if (mostRowsOf(maker, warm) === 1) return unchecked(warm, "skipped", "batches are of one item");
  const known = warm.known.batchCheck;
  if (known !== null) return { ...unchecked(warm, "skipped", ""), batchCheck: { ...known, fromCache: true } };
  const proved = provedBy(warm.graph);
  if (proved !== null) return { ...unchecked(warm, proved.outcome, proved.reason), isMixing: true };
  if (warm.warmedUp.isProvisional) return unchecked(warm, "inconclusive", "not checked yet: no generated item runs");
  const check = pacedCheck(maker, warm, original);
  const waitsMs = warm.signature.fixedBatch !== null ? Infinity : waitFor(verifyBudgetMs, original);
  const finding = await check.within(waitsMs, { alone: runOn(maker, original), batch: runOn(maker, warm) });
  if (finding !== null) {
    return { ...unchecked(warm, finding.outcome, finding.reason), isMixing: finding.isMixing ?? false };
  }
  const reason = "not known yet: the check takes longer than its budget, and goes on while the model runs item by item";
  return { ...unchecked(warm, "inconclusive", reason), pendingCheck: check };
}

/** The user answers for batches, but not for an output that framebatch has found to be shared by all items. */
function uncheckedAsAsked(warm: WarmSession): CheckedSession {
  const { graph, sharedUnasked } = warm;
  const unproved = [...sharedUnasked].find((name) => !graph.constant.has(name));
  if (unproved === undefined) return unchecked(warm, "skipped", "not checked, as asked");
  return unchecked(warm, "failed", graph.shared ?? `output "${unproved}" is not known to be the same for all items`);
}

function pacedCheck(maker: SessionMaker, warm: WarmSession, { warmedUp: { runMs } }: WarmSession): PacedCheck {
  const { samples, signature } = warm;
  return new PacedCheck(
    (paths) => {
      const subject = subjectOf(maker, warm, paths);
      return samples === null ? checkGenerated(subject) : checkItems(subject, samples.items);
    },
    (feeds) => (runMs ?? 0) * rowsIn(signature, feeds),
  );
}

/**
 * Returns how long the load waits for a check, in milliseconds: not at all for one that is predicted to take longer
 * than its budget.
 */
function waitFor(budgetMs: number, { warmedUp: { runMs } }: WarmSession): number {
  return COMPARED_ITEMS * (COMPARED_ITEMS + 2) * (runMs ?? 0) <= budgetMs ? budgetMs : 0;
}

/** Returns a session with an outcome that is already known. */
export function unchecked(warm: WarmSession, outcome: BatchCheck["outcome"], reason: string): CheckedSession {
  const batchCheck: BatchCheck = { outcome, reason, fromCache: false };
  return { ...warm, batchCheck, isMixing: false, pendingCheck: null, original: null, isRebatched: false };
}

/** Returns the subject for a check of real items, on the session that the worker uses. */
export function subjectFor(
  warm: WarmSession & { readonly provider: ExecutionProvider },
  request: Limits["request"],
  run: RunFeeds,
): CheckSubject {
  return subjectOf({ provider: warm.provider, request }, warm, { alone: run, batch: run });
}

interface Limits {
  readonly provider: ExecutionProvider;
  readonly request: Pick<LoadRequest, "maxBatchSize" | "allowedBatchSizes">;
}

function subjectOf(limits: Limits, warm: WarmSession, { alone, batch }: RunPaths): CheckSubject {
  const { signature, padding, states, warmedUp, graph } = warm;
  const most = signature.fixedBatch ?? mostRowsOf(limits, warm);
  const { guesses } = warmedUp;
  const wide = signature.fixedBatch ?? widestOf(limits, warm, most);
  const { provider } = limits;
  return { signature, padding, states, provider, guesses, most, wide, graph, runAlone: alone, runBatch: batch };
}

/**
 * Returns the number of rows in the largest batch to compare: the largest that requests use and that runs soon, or the
 * smallest that they use.
 */
function widestOf(
  { provider, request: { allowedBatchSizes } }: Limits,
  { warmedUp: { runMs } }: WarmSession,
  most: number,
): number {
  // Of few samples, some are batch-mates of the others: the large batch then makes up for the rows that this takes.
  const timed = runMs === null ? UNTIMED_ROWS : Math.max(COMPARED_ITEMS, MAX_WIDE_MS / runMs);
  // A run on a GPU takes about as long with many rows as with one.
  const limit = Math.min(most, MAX_WIDE_ROWS, traitsOf(provider).usesGpu ? MAX_WIDE_ROWS : timed);
  const powers = Array.from({ length: 1 + Math.log2(MAX_WIDE_ROWS) }, (_, exponent) => 2 ** exponent);
  const batches = allowedBatchSizes.filter((size) => size > 1);
  const sizes = batches.length > 0 ? batches : allowedBatchSizes.length > 0 ? allowedBatchSizes : [...powers, most];
  const soon = sizes.filter((size) => size <= limit);
  return soon.length > 0 ? Math.max(...soon) : Math.min(...sizes);
}

function mostRowsOf({ request }: Pick<Limits, "request">, { warmedUp }: WarmSession): number {
  return warmedUp.maxRows ?? request.maxBatchSize;
}

function runOn({ runtime, settled, onChecking }: SessionMaker, { session, signature }: WarmSession): RunFeeds {
  return async (feeds) => {
    onChecking(rowsIn(signature, feeds));
    try {
      const outputs = fromOutputs(await session.run(toFeeds(runtime, feeds), outputNames(signature)));
      await settled();
      onChecking(0);
      return outputs;
    } catch (thrown) {
      // If the run has ended the worker, the page must know that it was a run of the check.
      if (!endsWorker(thrown)) onChecking(0);
      throw thrown;
    }
  };
}

import { hostTimer } from "@framebatch/host/host-timer.js";
import { readDecoder } from "../../generation/decoder.js";
import { Texts } from "../../generation/worker/texts.js";
import type { TextsAnswer, TextsRequest } from "../../generation/generation-messages.js";
import type { FailedReply, LoadRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { AnyHandlers } from "../../handlers/worker/handlers.js";
import type { Backend } from "../session/trial.js";
import type { DeviceAccess } from "../ort/device-memory.js";
import type { Comparing } from "./provider-comparison.js";
import type { CommonParts, SessionRuns } from "./session-runs.js";
import { notLoaded } from "./replies.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { trialPrompts } from "../../generation/worker/trial-prompts.js";
import { preprocessedOnce } from "../../handlers/worker/preprocess.js";

/** What runs the texts of a model. */
export interface RunTexts {
  run(request: TextsRequest): Promise<Sent<TextsAnswer | FailedReply>>;
  /** Gives up all texts. */
  release(): void;
}

/** Of a model that generates none, or that is not loaded. */
export const NO_TEXTS: RunTexts = {
  run: () => Promise.resolve({ reply: notLoaded(), transfer: [] }),
  release: () => undefined,
};

/**
 * Returns what runs the texts of a model that was loaded.
 * @param handlers those of the user; `null` if there are none
 * @param kept where its caches stay on a GPU
 * @param comparing what compares the answers of its provider
 * @param backendNow returns its backend, which a check may replace
 */
export function textsOf(
  { generate, agreement }: LoadRequest,
  handlers: AnyHandlers | null,
  lock: CommonParts["lock"],
  kept: Pick<DeviceAccess, "memory"> | null,
  comparing: Comparing | null,
  backendNow: () => Backend | null,
  runs: Pick<SessionRuns, "run">,
): RunTexts {
  const backend = backendNow();
  if (generate === undefined || backend === null) return NO_TEXTS;
  const { signature } = backend;
  const memory = async () => (await kept?.memory?.()) ?? null;
  const texts = new Texts({
    decoder: readDecoder(signature, generate),
    choose: handlers?.choose?.bind(handlers) ?? null,
    agreement,
    now: () => hostTimer.now(),
    isMixing: () => signature.fixedBatch !== null || backendNow()?.batchCheck.outcome === "failed",
    async run(feeds, tensors, isTrial) {
      const sinceMs = hostTimer.now();
      const reply = await runs.run(backendNow(), feeds, tensors, isTrial);
      const isRead = Object.values(tensors.outputs ?? { all: null }).includes(null);
      if (!reply.ok || isRead) return reply;
      // What the GPU still does would count as the time of the next run.
      await (await memory())?.done();
      return { ...reply, inferenceMs: hostTimer.now() - sinceMs };
    },
    gpu: {
      memory,
      wants: (inputs) => comparing?.wants?.(inputs) === true,
      compare: (feeds, outputs, elements) => comparing?.compare?.(feeds, outputs, elements),
    },
  });
  return {
    run: async (request) => ({ reply: await lock.run(() => texts.run(request)), transfer: [] }),
    release: () => texts.release(),
  };
}

/**
 * Returns what returns the samples of a model: those of the user, or prompts for one that generates.
 * @param handlers `null` if there are none
 */
export function samplesOf({ samples, generate }: LoadRequest, handlers: AnyHandlers | null) {
  if (generate === undefined) return preprocessedOnce(handlers, samples);
  return async (signature: ModelSignature): Promise<readonly unknown[]> => trialPrompts(signature, generate);
}

import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import { trialPrompts } from "../../generation/worker/trial-prompts.js";
import type { LoadRequest } from "../../transport/protocol.js";
import type { AnyHandlers } from "../handlers/handlers.js";
import { preprocessedOnce } from "../handlers/preprocess.js";

/** Returns what returns the samples of a model: those of the user, or prompts for one that generates. @param handlers `null` if there are none */
export function samplesOf({ samples, generate }: LoadRequest, handlers: AnyHandlers | null) {
  if (generate === undefined) return preprocessedOnce(handlers, samples);
  return async (signature: ModelSignature): Promise<readonly unknown[]> => trialPrompts(signature, generate);
}

import { createHandledModelAt } from "../../src/handlers/page/create-handled-model.js";
import type { BatchedModel } from "../../src/client/options/model.js";
import { keepSource } from "../../src/client/options/model-source.js";
import type { HandlerModelOptions } from "../../src/client/options/options.js";
import type { Handlers } from "../../src/handlers/worker/handlers.js";
import { type ChannelWorker, handledSite } from "./channel-worker.js";
import { doublingModel } from "./doubling-model.js";

/** Opens the model that doubles, with handlers, in a worker of this process. Its check has all the time that it needs. */
export function handledModel<Input, Output, Passed = undefined>(
  make: (worker: ChannelWorker) => Handlers<Input, Output, Passed>,
  options: Partial<HandlerModelOptions<Input>> = {},
): Promise<BatchedModel<Input, Output>> {
  const site = handledSite(make);
  const fixed = { cache: false, verify: { budgetMs: 3_600_000 }, worker: () => new Worker("unused") };
  return createHandledModelAt<Input, Output>(site, keepSource(doublingModel()), { ...fixed, ...options }, site);
}

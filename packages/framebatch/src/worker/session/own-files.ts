import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { LoadRequest, Trial } from "../../transport/protocol.js";
import type { DeviceFinder } from "../ort/device.js";
import type { ChosenWay } from "./chosen-way.js";

/**
 * Chooses the files of the first provider that this browser supports, where each provider has its own. Only these are
 * fetched. Leaves the providers before it out, and adds their trials to `trials`.
 * @throws UNSUPPORTED when this browser supports none
 */
export async function withOwnFiles(way: ChosenWay, findDevice: DeviceFinder, trials: Trial[]): Promise<ChosenWay> {
  const { request } = way;
  if (request.variants.length === 0) return way;
  for (const [index, provider] of request.providers.entries()) {
    const device = await findDevice(provider);
    const variant = request.variants.find((own) => own.provider === provider);
    if (variant !== undefined && !("missing" in device)) {
      const { location, externalData, integrity } = variant;
      const own = { location, externalData, integrity, providers: request.providers.slice(index) };
      return { ...way, request: { ...request, ...own } };
    }
    trials.push({ provider, chosen: false, reason: "missing" in device ? device.missing : "it has no file" });
  }
  throw noneWorks(trials);
}

/** Returns the providers that this worker may try. One with other files is tried in another worker, which fetches them. */
export function providersHere({ providers, variants }: LoadRequest): readonly ExecutionProvider[] {
  return variants.length > 0 ? providers.slice(0, 1) : providers;
}

/** Returns the error for a model that runs on no provider. */
export function noneWorks(trials: readonly Trial[]): FramebatchError {
  const last = trials.at(-1);
  return new FramebatchError("UNSUPPORTED", `no execution provider works here: ${last?.provider}: ${last?.reason}`);
}

import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { LoadRequest, Trial } from "../../transport/protocol.js";
import type { ExecutionProvider } from "../../transport/providers.js";
import type { DeviceFinder } from "../ort/device.js";

/**
 * Chooses the files of the first provider that this browser supports, where each provider has its own. Only these are
 * fetched. Leaves the providers before it out, and adds their trials to `trials`.
 * @throws UNSUPPORTED when this browser supports none
 */
export async function withOwnFiles<Request extends LoadRequest>(
  request: Request,
  findDevice: DeviceFinder,
  trials: Trial[],
): Promise<Request> {
  if (request.variants.length === 0) return request;
  for (const [index, provider] of request.providers.entries()) {
    const device = await findDevice(provider);
    const variant = request.variants.find((own) => own.provider === provider);
    if (variant !== undefined && !("missing" in device)) {
      const { location, externalData, integrity } = variant;
      return { ...request, location, externalData, integrity, providers: request.providers.slice(index) };
    }
    trials.push({ provider, chosen: false, reason: "missing" in device ? device.missing : "it has no file" });
  }
  throw noneWorks(trials);
}

/**
 * Returns the providers that this worker may try. One with other files is tried in another worker, which fetches them.
 */
export function providersHere({ providers, variants }: LoadRequest): readonly ExecutionProvider[] {
  return variants.length > 0 ? providers.slice(0, 1) : providers;
}

/** Returns the error for a model that runs on no provider. */
export function noneWorks(trials: readonly Trial[]): FramebatchError {
  const last = trials.at(-1);
  return new FramebatchError("UNSUPPORTED", `no execution provider works here: ${last?.provider}: ${last?.reason}`);
}

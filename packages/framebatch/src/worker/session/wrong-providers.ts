import type { ModelDatabase } from "../../store/model-database.js";
import type { LoadRequest, Trial } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/provider-check.js";
import { isCompared, readProviderCheck } from "../files/known-provider-check.js";
import type { DeviceFinder } from "../ort/device.js";

/** A request, and what earlier visits have found about the provider that it begins with, or that it has left out. */
export interface JudgedRequest {
  readonly request: LoadRequest;
  readonly known: ProviderCheck | null;
}

/**
 * Leaves the providers out whose answers an earlier visit has found wrong, unless there is no other one, and adds their
 * trials to `trials`.
 */
export async function withoutWrongProviders(
  request: LoadRequest,
  findDevice: DeviceFinder,
  database: ModelDatabase | null,
  trials: Trial[],
): Promise<JudgedRequest> {
  if (database === null) return { request, known: null };
  for (const provider of request.providers.filter((each) => isCompared(each, request))) {
    const device = await findDevice(provider);
    if ("missing" in device) continue;
    const known = await readProviderCheck(request, provider, device.name, database);
    const providers = request.providers.filter((other) => other !== provider);
    if (known?.outcome !== "failed" || providers.length === 0) return { request, known };
    trials.push({ provider, chosen: false, reason: known.reason });
    return { request: { ...request, providers }, known };
  }
  return { request, known: null };
}

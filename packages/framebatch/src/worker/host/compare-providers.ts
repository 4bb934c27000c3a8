import { hostTimer } from "@framebatch/host/host-timer.js";
import { memoryGiB } from "@framebatch/host/page.js";
import { traitsOf } from "../../transport/providers.js";
import type { WorkerNotice } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/provider-check.js";
import { isCompared, providerContext } from "../files/known-provider-check.js";
import type { ModelFiles } from "../files/model-files.js";
import type { ChosenWay } from "../session/chosen-way.js";
import { prepareReference } from "../session/reference-session.js";
import type { Backend } from "../session/trial.js";
import type { CommonParts } from "./common-parts.js";
import { ProviderComparison } from "./provider-comparison.js";

/** Maximum size of the files of a model that is compared, in bytes: it is in memory twice meanwhile. */
const LARGEST_BYTES = 2 ** 28;
/** The same on a device with less memory than `LITTLE_GIB`. */
const LARGEST_BYTES_OF_LITTLE = 2 ** 25;
const LITTLE_GIB = 4;

/** What compares the answers of a model's provider with those of WASM, or why nothing does. */
export type Comparing = Pick<ProviderComparison, "check" | "needsElements" | "close"> &
  Partial<Pick<ProviderComparison, "saw" | "wants">>;

/** Returns what compares the answers of the provider that a load has chosen. */
export function compareProviders(
  backend: Backend,
  { request, knownCheck }: ChosenWay,
  files: ModelFiles,
  lock: CommonParts["lock"],
  say: (notice: WorkerNotice) => void,
  lose: (thrown: unknown) => void,
): Comparing {
  const { provider, adapter, signature } = backend;
  const isOwn = knownCheck?.provider === provider;
  // Why the model is on another provider than the one that earlier visits have found wrong.
  if (knownCheck?.outcome === "failed" && !isOwn) return notCompared(knownCheck);
  const obstacle = obstacleTo(backend, files, request);
  if (obstacle !== null) return notCompared({ provider, outcome: "skipped", reason: obstacle, ...NONE });
  const [facts, copy] = [files.facts, files.copy()];
  return new ProviderComparison({
    provider,
    signature,
    known: isOwn ? knownCheck : null,
    modelBytes: files.totalBytes,
    lock,
    prepare: () => prepareReference(backend, copy, request),
    onChecking: (rows) => say({ notice: "checking", rows, isComparison: true }),
    onLost: lose,
    onChecked: (check) => {
      say({ notice: "compared", check });
      if (check.outcome !== "passed" && check.outcome !== "failed") return;
      void providerContext(request, provider, adapter).then((context) =>
        facts.in(context, 1 + request.externalData.length).write({ providerCheck: check }),
      );
    },
    timer: hostTimer,
  });
}

/** Returns why a provider is not compared; `null` if it is. */
function obstacleTo({ provider }: Backend, { totalBytes }: ModelFiles, request: ChosenWay["request"]): string | null {
  if (!traitsOf(provider).usesGpu) return "only the answers of a GPU are compared with those of WASM";
  if (!isCompared(provider, request)) return "not compared, as asked";
  const largest = (memoryGiB() ?? Infinity) < LITTLE_GIB ? LARGEST_BYTES_OF_LITTLE : LARGEST_BYTES;
  return totalBytes > largest
    ? `not compared: its files are larger than ${largest} bytes, too large to hold twice`
    : null;
}

const NONE = { comparedSizes: [], fromCache: false };

function notCompared(check: ProviderCheck): Comparing {
  return { check, needsElements: false, close: () => undefined };
}

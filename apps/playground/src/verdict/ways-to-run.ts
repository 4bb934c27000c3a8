import type { ExecutionProvider, ModelOptions, ModelStats, ProviderTrial } from "framebatch";
import { PROVIDER_NAMES } from "../shell/provider-names.js";

/** One way to run a model here, and what is known about it. */
export interface WayToRun {
  /** "WASM, 2 threads" */
  readonly name: string;
  readonly isUsed: boolean;
  /** Why it is used, how fast it is, or why it is not used, in a sentence. */
  readonly words: string;
}

/** What a browser offers. */
export interface Offer {
  /** Whether the page is cross-origin isolated, which several threads need. */
  readonly isIsolated: boolean;
  /** The providers that the visitor allows. */
  readonly allowed: ModelOptions["executionProviders"];
}

/** What is known about a model that has loaded. */
type Facts = Pick<ModelStats, "executionProvider" | "providerTrials">;

/** Lists the ways to run a model: what this load tried and measured, and what it could not try. */
export function waysToRun({ executionProvider, providerTrials }: Facts, offer: Offer): WayToRun[] {
  const tried = lastOfEach(providerTrials).map((trial): WayToRun => ({
    name: nameOf(trial),
    isUsed: trial.provider === executionProvider && isOwn(trial, providerTrials),
    words: describeTrial(trial, providerTrials),
  }));
  return [...tried, ...untried(providerTrials, offer)];
}

/** A measured way is listed once, with its measurement. */
function lastOfEach(trials: readonly ProviderTrial[]): ProviderTrial[] {
  return [...new Map(trials.map((trial) => [nameOf(trial), trial])).values()];
}

/** The way that the load chose, which comes before those that were measured. */
function isOwn(trial: ProviderTrial, trials: readonly ProviderTrial[]): boolean {
  const own = trials.find(({ chosen }) => chosen);
  return own !== undefined && nameOf(own) === nameOf(trial);
}

function nameOf({ provider, numThreads }: ProviderTrial): string {
  if (provider !== "wasm") return PROVIDER_NAMES[provider];
  return `${PROVIDER_NAMES.wasm}, ${numThreads === 1 ? "1 thread" : `${numThreads} threads`}`;
}

function describeTrial(trial: ProviderTrial, trials: readonly ProviderTrial[]): string {
  const { reason, msPerItem, chosen } = trial;
  const isMeasured = Object.keys(msPerItem).length > 0;
  if (isMeasured && !isOwn(trial, trials))
    return `Measured: ${reason}${chosen ? "; the next visit starts on it" : ""}.`;
  if (isOwn(trial, trials)) return "Used here.";
  return `Not used: ${reason}.`;
}

function untried(trials: readonly ProviderTrial[], { isIsolated, allowed }: Offer): WayToRun[] {
  const isNotAllowed = (provider: ExecutionProvider): boolean => Array.isArray(allowed) && !allowed.includes(provider);
  const missing: WayToRun[] = [];
  if (!isIsolated && !isNotAllowed("wasm")) {
    missing.push({
      name: "WASM, several threads",
      isUsed: false,
      words: "Not possible: the server of this page does not isolate it (COOP and COEP).",
    });
  }
  for (const provider of ["webgpu", "wasm"] as const) {
    if (trials.some((trial) => trial.provider === provider)) continue;
    const words = isNotAllowed(provider)
      ? "Not tried: the backend is set to another one."
      : "Not tried: another one came first.";
    missing.push({ name: PROVIDER_NAMES[provider], isUsed: false, words });
  }
  return missing;
}

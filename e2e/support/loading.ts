import type { Page } from "@playwright/test";
import type { Fault } from "../tables/fault.js";

export interface LoadOutcome {
  readonly code: string | null;
  readonly message: string;
  readonly fromCache: boolean | null;
  /** The codes and messages of the `error` events. */
  readonly events: readonly string[];
}

interface LoadSettings {
  readonly url: string;
  readonly options?: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Loads a model, predicts once, and waits until the cache has stored the model or an event reports that the cache does
 * not work. Then disposes the model.
 */
export function loadOnce(page: Page, settings: LoadSettings): Promise<LoadOutcome> {
  return page.evaluate(async ({ url, options }) => {
    const { createBatchedModel, failureOf, itemFor, listCachedModels } = window.harness;
    const startedAt = new Date();
    const events: string[] = [];
    const outcome: { fromCache: boolean | null } = { fromCache: null };
    const failure = await failureOf(
      (async () => {
        const model = await createBatchedModel(url, { executionProviders: ["wasm"], warmup: false, ...options });
        model.addEventListener("error", ({ detail }) => events.push(`${detail.code}: ${detail.message}`));
        await model.predict(itemFor("mlp-784", 1));
        const { fromCache } = model.stats();
        outcome.fromCache = fromCache;
        const isRefused = () => events.some((event) => event.includes("does not work here"));
        const isKept = async () =>
          options?.["cache"] === false ||
          (await listCachedModels()).some((kept) => kept.url === url && (fromCache || kept.storedAt >= startedAt));
        while (!isRefused() && !(await isKept().catch(() => false))) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        await model.dispose();
      })(),
    );
    return { code: failure?.code ?? null, message: failure?.message ?? "", events, ...outcome };
  }, settings);
}

/** Returns a regular expression for the message of a fault, in which "…" stands for any text. */
export function sentence({ message }: Fault): RegExp {
  const parts = message.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

import { createBatchedModel } from "framebatch";
import { itemsFor } from "../../fixtures/items.js";

export interface GuardedFindings {
  readonly answered: number;
  /** Answers in a batch that differ from those of single runs. */
  readonly wrong: number;
  /** The violations of the Content-Security-Policy: directive and address. */
  readonly violations: readonly string[];
}

/** Loads a model in a page with a strict policy, logs "soak: ready", and compares batches with single runs. */
export async function guarded(url: string, rounds: number): Promise<GuardedFindings> {
  const violations: string[] = [];
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
    violations.push(`${effectiveDirective} ${blockedURI}`),
  );
  await using model = await createBatchedModel(url, { executionProviders: ["wasm"] });
  console.log("soak: ready");
  const items = itemsFor("mlp-tiny", 64);
  const bits = (outputs: Awaited<ReturnType<typeof model.predict>>) =>
    Array.from(outputs["y"]?.data ?? [], String).join();
  const alone: string[] = [];
  for (const item of items) alone.push(bits(await model.predict(item)));
  let wrong = 0;
  for (let round = 0; round < rounds; round += 1) {
    const together = await model.predictMany(items);
    wrong += together.filter((outputs, index) => bits(outputs) !== alone[index]).length;
  }
  return { answered: (rounds + 1) * items.length, wrong, violations };
}

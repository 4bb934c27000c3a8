import type { Entry } from "../logs/ledger.js";
import type { Life } from "../play/play.js";
import type { ItemSpec } from "../scenario/scenario.js";
import { expectedOf, numbersIn } from "../actors/items.js";
import type { Violation } from "../logs/violation.js";

/**
 * Every answer is that of the call's own item, computed by the version that was deployed when the model was opened, and by its
 * provider: one on the GPU may be wrong only if the model was there.
 */
export function checkAnswers(entry: Entry, life: Life): Violation[] {
  const { kind, items, outcome, received, call, take } = entry;
  // Of several workers, the model tells the provider of one.
  const mayBeOnGpu = entry.providers.includes("webgpu") || "instances" in life.options;
  const factors = mayBeOnGpu ? [1, life.gpuFactor] : [1];
  if (outcome === null) return [];
  const compare = (item: ItemSpec | undefined, value: unknown) => compareOne(item, value, { call, life, factors });
  if (kind === "stream") {
    const isShort = "value" in outcome && received.length !== Math.min(items.length, take);
    const lost: Violation[] = isShort
      ? [{ rule: "answers", what: `stream ${call}: ${received.length} results for ${items.length} items` }]
      : [];
    return [...lost, ...received.flatMap((value, index) => compare(items[index], value))];
  }
  if (!("value" in outcome)) return [];
  if (kind === "predict") return compare(items[0], outcome.value);
  const values: readonly unknown[] = Array.isArray(outcome.value) ? outcome.value : [];
  if (values.length !== items.length)
    return [{ rule: "answers", what: `list ${call}: ${values.length} results for ${items.length} items` }];
  return values.flatMap((value, index) => compare(items[index], value));
}

/** How the answers of a call are judged. */
interface Terms {
  readonly call: number;
  readonly life: Life;
  /** What they may be multiplied with. */
  readonly factors: readonly number[];
}

/** The first answer shows the version of a model, if several were deployed. */
function compareOne(item: ItemSpec | undefined, value: unknown, { call, life, factors }: Terms): Violation[] {
  const numbers = numbersIn(value);
  const answerOf = (version: number) => (item === undefined ? [] : expectedOf(item, version));
  const isOf = (version: number) => {
    const expected = answerOf(version);
    const isBy = (factor: number) =>
      expected.every((number, at) => Object.is(Math.fround(factor * number), numbers?.[at]));
    return numbers?.length === expected.length && factors.some(isBy);
  };
  // A hub loads its models anew, each for itself.
  const version = (life.kind === "hub" ? null : life.version) ?? life.versions.find(isOf) ?? 1;
  life.version ??= version;
  if (isOf(version)) return [];
  const expected = answerOf(version);
  return [
    { rule: "answers", what: `call ${call}: expected ${expected.join()}, got ${numbers?.join() ?? String(value)}` },
  ];
}

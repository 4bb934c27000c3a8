import type { Entry } from "../program/ledger.js";
import type { Life } from "../program/play.js";
import type { ItemSpec } from "../program/scenario.js";
import { expectedOf, numbersIn } from "../program/items.js";
import type { Violation } from "./violation.js";

/** The versions that may be deployed in a scenario. */
const VERSIONS = [1, 2, 3];

/** Every answer is that of the call's own item, computed by the version that was deployed when the model was opened. */
export function checkAnswers(entry: Entry, life: Life): Violation[] {
  const { kind, items, outcome, received, call, take } = entry;
  if (outcome === null) return [];
  if (kind === "stream") {
    const isShort = "value" in outcome && received.length !== Math.min(items.length, take);
    const lost: Violation[] = isShort
      ? [{ rule: "answers", what: `stream ${call}: ${received.length} results for ${items.length} items` }]
      : [];
    return [...lost, ...received.flatMap((value, index) => compare(items[index], value, call, life))];
  }
  if (!("value" in outcome)) return [];
  if (kind === "predict") return compare(items[0], outcome.value, call, life);
  const values: readonly unknown[] = Array.isArray(outcome.value) ? outcome.value : [];
  if (values.length !== items.length)
    return [{ rule: "answers", what: `list ${call}: ${values.length} results for ${items.length} items` }];
  return values.flatMap((value, index) => compare(items[index], value, call, life));
}

/** The first answer shows the version of a model, if several were deployed. */
function compare(item: ItemSpec | undefined, value: unknown, call: number, life: Life): Violation[] {
  const numbers = numbersIn(value);
  const answerOf = (version: number) => (item === undefined ? [] : expectedOf(item, version));
  const isOf = (version: number) => {
    const expected = answerOf(version);
    return numbers?.length === expected.length && expected.every((number, at) => Object.is(number, numbers[at]));
  };
  // A hub loads its models anew, each for itself.
  const version = (life.kind === "hub" ? null : life.version) ?? VERSIONS.find(isOf) ?? 1;
  life.version ??= version;
  if (isOf(version)) return [];
  const expected = answerOf(version);
  return [
    { rule: "answers", what: `call ${call}: expected ${expected.join()}, got ${numbers?.join() ?? String(value)}` },
  ];
}

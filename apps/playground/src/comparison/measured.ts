import type { ModelOptions } from "framebatch";
import type { Comparison } from "../measure/compare.js";
import type { Load } from "../measure/load.js";
import { decide, type Verdict } from "../measure/outcome.js";
import { headlineOf, type Headline } from "../measure/verdict.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { conditionsOf, type Conditions } from "./conditions.js";
import { optionsSnippet } from "./options-snippet.js";
import { encodeResult } from "./shared-result.js";

/** The length of the day at the start of an ISO date. */
const DAY_LENGTH = 10;

/** A finished comparison with everything that it was measured with. */
export interface Measured {
  readonly comparison: Comparison;
  readonly verdict: Verdict;
  readonly conditions: Conditions;
  readonly options: ModelOptions;
  readonly atIso: string;
  /** The page's URL with the settings and the result. */
  readonly link: string;
  readonly snippet: string;
}

/** Keeps the settings at the end of a comparison, since the visitor may change them afterwards. */
export function toMeasured(playground: Playground, scene: Scene, load: Load, comparison: Comparison): Measured {
  const verdict = decide(comparison);
  const model = scene.model.peek();
  const options = { ...model?.options, ...playground.settings.modelOptions.peek() };
  const conditions = conditionsOf(playground, scene, comparison);
  const atIso = new Date().toISOString();
  const result = encodeResult({ outcome: comparison, conditions, day: atIso.slice(0, DAY_LENGTH) });
  return {
    comparison,
    verdict,
    conditions,
    options,
    atIso,
    link: playground.settings.addressWith(result),
    snippet: optionsSnippet({
      address: model?.address ?? "",
      options,
      ownOptions: model?.ownOptions ?? [],
      item: load.item(0, 0),
      verdict,
      headline: headlineText(headlineOf(comparison, verdict)),
    }),
  };
}

/** "Yes 3.9× (2.1–7.3)" */
export function headlineText({ word, factor, range }: Headline): string {
  return factor === "" ? word : `${word} ${factor} (${range})`;
}

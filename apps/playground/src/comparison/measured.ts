import type { ModelOptions } from "framebatch";
import { isPublic } from "virtual:publication";
import type { Comparison } from "../measure/compare.js";
import type { Load } from "../measure/load.js";
import { decide, type Verdict } from "../measure/outcome.js";
import { headlineOf, headlineText } from "../measure/verdict.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { conditionsOf, type Conditions } from "./conditions.js";
import { optionsSnippet, withAddresses, type SnippetParts } from "./options-snippet.js";
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
  const conditions = conditionsOf(playground, scene, comparison);
  const atIso = new Date().toISOString();
  const result = encodeResult({ outcome: comparison, conditions, day: atIso.slice(0, DAY_LENGTH) });
  return {
    comparison,
    verdict,
    conditions,
    options: optionsOf(playground, scene),
    atIso,
    link: playground.settings.addressWith(result),
    snippet: snippetOf(playground, scene, load, { verdict, headline: headlineText(headlineOf(comparison, verdict)) }),
  };
}

/** The source code for a scene's model as it is set, and for what was found out about it. */
export function snippetOf(
  playground: Playground,
  scene: Scene,
  load: Load,
  found: Pick<SnippetParts, "verdict" | "headline">,
): string {
  const model = scene.model.peek();
  return optionsSnippet({
    address: model?.address ?? "",
    options: optionsOf(playground, scene),
    ownOptions: model?.ownOptions ?? [],
    ownCode: model?.ownCode ?? [],
    item: load.item(0, 0),
    callers: load.callers,
    hasSequences: load.hasSequences ?? false,
    texts: load.texts,
    isPublic,
    ...found,
  });
}

function optionsOf(playground: Playground, scene: Scene): ModelOptions {
  return withAddresses({ ...scene.model.peek()?.options, ...playground.settings.modelOptions.peek() });
}

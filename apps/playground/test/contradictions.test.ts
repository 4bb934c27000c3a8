import { expect, test } from "vitest";
import { comparisonReport } from "../src/evidence/report.js";
import { decide } from "../src/measure/outcome.js";
import { describeOutcome, headlineOf, headlineText } from "../src/measure/verdict.js";
import { contradictionsOf, type Told } from "../verdicts/contradictions.js";
import { comparisonOf } from "./support/comparisons.js";

const comparison = comparisonOf({ rates: [360, 364, 370] }, { rates: [100, 101, 99] });
const verdict = decide(comparison);
const report = JSON.parse(
  JSON.stringify(
    comparisonReport(
      {
        comparison,
        verdict,
        conditions: { model: "m", release: "frame", pressureMs: 0, provider: "wasm", adapter: null, cores: 2 },
        options: {},
        atIso: "",
        link: "",
        snippet: "",
      },
      "",
    ),
  ),
);

const headline = headlineText(headlineOf(comparison, verdict));
const card = {
  headline,
  sentence: describeOutcome(comparison).replaceAll("\u00A0", " "),
  facts: report.verdict.facts.join(" ").replaceAll("\u00A0", " "),
};
const right: Told = {
  card,
  landing: card,
  details: "365 100 20 ms",
  image: `Does it pay? ${headline}.`,
  race: { batched: 1092, single: 300 },
};

test("a page that says the same everywhere does not contradict itself", () => {
  expect(contradictionsOf(report, right)).toEqual([]);
});

test.each<[string, Partial<Told>]>([
  ["the link", { landing: { ...card, headline: "Unclear" } }],
  ["the card", { card: { ...card, sentence: "Batching serves 3.4 times as many predictions." } }],
  ["the details", { details: "" }],
  ["the image", { image: "Does it pay? No." }],
  ["the race", { race: { batched: 1440, single: 300 } }],
])("%s that says something else is found", (_, change) => {
  expect(contradictionsOf(report, { ...right, ...change })).not.toEqual([]);
});

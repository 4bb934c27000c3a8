import { formatFigure } from "../src/measure/verdict.js";
import { MEASURES } from "../src/measure/gain.js";
import type { PageReport } from "./page-outcome.js";

interface Card {
  readonly headline: string;
  readonly sentence: string;
  /** All figures and effects, as one text. */
  readonly facts: string;
}

/** Everything that the page says about one result, as texts without double spaces. */
export interface Told {
  readonly card: Card;
  readonly details: string;
  readonly image: string;
  /** Number of answers of each lane at the end of the race. */
  readonly race: { readonly batched: number; readonly single: number };
  /** The card that the link of the result opens. */
  readonly landing: Card;
}

/** By how much the ratio of a race may leave the interval of the result: it ends within a slice that it repeats. */
const RACE_TOLERANCE = 1.15;

/** Finds where the page says different things about one result. */
export function contradictionsOf({ verdict, gains }: PageReport, told: Told): string[] {
  const { card, landing, details, image, race } = told;
  const headline = plain(verdict.headline);
  const { low, high } = gains.throughput.factor;
  const ratio = race.batched / race.single;
  const figures = MEASURES.flatMap((measure) =>
    [gains[measure].batched, gains[measure].single].map((figure) => plain(formatFigure(measure, figure))),
  );
  const checks: readonly (readonly [isRight: boolean, words: string])[] = [
    [card.headline === headline, `card "${card.headline}", report "${headline}"`],
    [card.sentence === plain(verdict.sentence), `card "${card.sentence}", report "${verdict.sentence}"`],
    [landing.headline === card.headline, `card "${card.headline}", link "${landing.headline}"`],
    [landing.sentence === card.sentence, `card "${card.sentence}", link "${landing.sentence}"`],
    [landing.facts === card.facts, `card "${card.facts}", link "${landing.facts}"`],
    [
      verdict.facts.every((fact) => card.facts.includes(plain(fact))),
      `card "${card.facts}", report "${verdict.facts.join(", ")}"`,
    ],
    [
      figures.every((figure) => plain(details).includes(figure)),
      `details "${details}" lack one of ${figures.join(", ")}`,
    ],
    [image.includes(verdict.headline), `image "${image}", report "${headline}"`],
    [
      ratio >= low / RACE_TOLERANCE && ratio <= high * RACE_TOLERANCE,
      `race ${ratio.toFixed(2)}, card ${low} to ${high}`,
    ],
  ];
  return checks.flatMap(([isRight, words]) => (isRight ? [] : [words]));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

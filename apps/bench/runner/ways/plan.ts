import type { Backend, Site } from "../../src/results.js";

/** The extent of a comparison of the ways to run. Times are in ms. */
export interface WaysPlan {
  readonly models: readonly string[];
  /** Number of first answers of each lane and visit. */
  readonly answers: number;
  /** Number of pages of each visit under each load, and of the slices of each lane on one. */
  readonly pages: number;
  readonly rounds: number;
  readonly sliceMs: number;
  readonly longestSliceMs: number;
  /** How long framebatch has traffic on a first visit before it is measured. */
  readonly trafficMs: number;
  /**
   * Numbers of callers with which framebatch may measure its ways, each in a profile of its own. A single one serves all
   * loads.
   */
  readonly trained: readonly number[];
  /** The longest time in which it may measure them. */
  readonly trainingMs: number;
  /** The longest time for one first answer, and for one page that is measured. */
  readonly answerLimitMs: number;
  readonly pageLimitMs: number;
}

const COMMON: Omit<WaysPlan, "models" | "answers" | "rounds" | "trained" | "trainingMs"> = {
  pages: 2,
  sliceMs: 100,
  longestSliceMs: 600,
  trafficMs: 8000,
  answerLimitMs: 20_000,
  pageLimitMs: 60_000,
};

/** A model of every kind, in about half an hour on an idle machine. */
export const FEW_MODELS: WaysPlan = {
  ...COMMON,
  models: ["mlp-tiny", "cnn-28", "digits", "text-encoder", "ocr-recogniser"],
  answers: 3,
  rounds: 4,
  trained: [8],
  trainingMs: 60_000,
};

export const ALL_MODELS: WaysPlan = {
  ...COMMON,
  models: [
    "mlp-tiny",
    "mlp-784",
    "digits",
    "text-encoder",
    "languages",
    "cnn-28",
    "cnn-64",
    "magika",
    "ocr-classifier",
    "ocr-recogniser",
    "ocr-detector",
  ],
  answers: 4,
  rounds: 8,
  trained: [8, 1],
  trainingMs: 60_000,
};

/** Numbers of callers. */
export const CALLERS: readonly number[] = [1, 8, 64];

/** The first visit in a new profile, or the second one, in a profile in which the ways were measured. */
export type Visit = "first" | "second";

/** A model on a site, in a browser with or without WebGPU. */
export interface WaysCell {
  readonly model: string;
  readonly backend: Backend;
  readonly site: Site;
}

export function cellsOf(
  models: readonly string[],
  backends: readonly Backend[],
  sites: readonly Site[],
): readonly WaysCell[] {
  return models.flatMap((model) => backends.flatMap((backend) => sites.map((site) => ({ model, backend, site }))));
}

/** Returns framebatch without options, and each way that the page offers. */
export function lanesOf({ backend, site }: Pick<WaysCell, "backend" | "site">, visit: Visit): readonly string[] {
  return [
    visit === "first" ? "default" : "default-again",
    "wasm-1",
    ...(site === "isolated" ? ["wasm-2"] : []),
    ...(backend === "webgpu" ? ["webgpu"] : []),
  ];
}

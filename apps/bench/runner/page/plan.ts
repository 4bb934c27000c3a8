import type { Backend, Site } from "../../src/results.js";

/** The extent of a measurement of callers against the page. Times are in ms. */
export interface PagePlan {
  readonly models: readonly string[];
  readonly loads: readonly string[];
  /** Number of pages of each lane on each site. Each applies every load once. */
  readonly pages: number;
  readonly sliceMs: number;
  /** The longest a slice may become, so that each widget gets eight answers. */
  readonly longestSliceMs: number;
}

/** Numbers of widgets. */
const WIDGETS: readonly number[] = [1, 4, 16, 64, 256];

export const MOST_WIDGETS = Math.max(...WIDGETS);

/** Widgets that call again about a frame after their answer, as a live page does. */
const LIVE = WIDGETS.map((count) => `widgets-${count}`);

/** Widgets that call again at once. */
const EAGER = WIDGETS.map((count) => `closed-${count}`);

/** One model in about three minutes on an idle machine. */
export const QUICK: PagePlan = { models: ["mlp-tiny"], loads: LIVE, pages: 3, sliceMs: 600, longestSliceMs: 1200 };

/** At least 200 keystrokes in each cell of a lane and a kind of load, in about two hours. */
export const ALL: PagePlan = {
  models: ["mlp-tiny", "digits", "text-encoder", "cnn-28", "cnn-64"],
  loads: [...LIVE, ...EAGER],
  pages: 4,
  sliceMs: 2500,
  longestSliceMs: 5000,
};

/** framebatch, and what a page could use without it. */
export const LANES: readonly string[] = [
  "frame",
  "off",
  "ort-main",
  "ort-comlink",
  "transformers-js",
  "dataloader",
  "hand-written",
];

/** What is measured together: all lanes of a model on a site. */
export interface PageGroup {
  readonly model: string;
  readonly backend: Backend;
  readonly site: Site;
}

/** Returns the loads that `only` selects: a name selects from those of all plans. */
export function loadsOf({ loads }: PagePlan, only: string): readonly string[] {
  return only === "" ? loads : ALL.loads.filter((load) => load.includes(only));
}

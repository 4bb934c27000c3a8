// What the runner and a page that answers once agree on. The runner cannot import the lanes, which only a page can.

/** A page whose address ends with this and a spec as JSON answers once, as soon as its script runs. */
export const FIRST_ANSWER_HASH = "#first-answer=";

/** What a page that only asks for one answer can tell. */
export interface FirstAnswer {
  /** From the navigation to the answer, in ms. */
  readonly firstMs: number;
  /** The faster of two further calls, in ms. */
  readonly callMs: number;
  /** The way that the lane runs on: its provider and threads; `null` if the lane does not tell. */
  readonly runsOn: string | null;
}

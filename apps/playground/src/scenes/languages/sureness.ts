/** A probability below which an answer is a guess, and looks like one. */
export const SURE = 0.5;

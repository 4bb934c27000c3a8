/** The minimum probability of a confident prediction. Predictions below it are displayed as uncertain. */
export const SURE = 0.5;

/** Below this probability, the page names no language for the typed text. */
export const TOO_UNSURE = 0.4;

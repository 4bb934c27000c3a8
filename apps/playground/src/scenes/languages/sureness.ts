/** The minimum probability of a confident prediction. Predictions below it are displayed as uncertain. */
export const SURE = 0.5;

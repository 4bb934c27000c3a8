/** The error of every failure of the fuzzed engine that no item is to blame for. */
export const ENGINE_ERROR = new Error("the engine failed");
/** The error of a run that has a poisonous item. */
export const POISON_ERROR = new Error("an item cannot be run");

/** The error of every failure of the fuzzed engine. */
export const ENGINE_ERROR = new Error("the engine failed");

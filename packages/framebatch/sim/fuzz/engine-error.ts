/** The error of everything that the fuzzed engine fails. */
export const ENGINE_ERROR = new Error("the engine failed");

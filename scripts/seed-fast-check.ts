import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** See `seedOfSources`. */
    readonly seed: number;
  }
}

fc.configureGlobal({ seed: inject("seed") });

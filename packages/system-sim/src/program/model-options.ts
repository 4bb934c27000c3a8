import { createHash } from "node:crypto";
import { modelFile, type ModelName } from "../runtime/models.js";
import type { PlainOptions } from "./scenario.js";

/** Returns the options of a model: samples become tensors, and `pin` the digest of that version. */
export function modelOptions(model: ModelName, { samples, pin, ...options }: PlainOptions): PlainOptions {
  return {
    ...options,
    ...(Array.isArray(samples) && { samples: samples.map((x: number[]) => ({ x: Float32Array.from(x) })) }),
    ...(typeof pin === "number" && { integrity: digestOf(model, pin) }),
  };
}

function digestOf(model: ModelName, version: number): string {
  return `sha256-${createHash("sha256").update(modelFile(model, version)).digest("base64")}`;
}

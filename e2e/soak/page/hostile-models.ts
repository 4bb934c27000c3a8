import { createBatchedModel, FramebatchError } from "framebatch";

/**
 * The outcome of a damaged model: "answered"; "refused", a `FramebatchError`; "untyped", another error; or "stalled",
 * no outcome in time.
 */
export type HostileEnd = "answered" | "refused" | "stalled" | "untyped";

/** Loads damaged bytes as a model. If they load, calls `predict` once. */
export async function tryModel(base64: string, integrity: string | undefined, limitMs: number): Promise<HostileEnd> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stalled = new Promise<HostileEnd>((resolve) => setTimeout(() => resolve("stalled"), limitMs));
  return Promise.race([attempt(bytes, integrity), stalled]);
}

async function attempt(bytes: Uint8Array, integrity: string | undefined): Promise<HostileEnd> {
  try {
    const options = { executionProviders: ["wasm"], ...(integrity !== undefined && { integrity }) } as const;
    await using model = await createBatchedModel(bytes, options);
    await model.predict(new Float32Array(8));
    return "answered";
  } catch (error) {
    return error instanceof FramebatchError ? "refused" : "untyped";
  }
}

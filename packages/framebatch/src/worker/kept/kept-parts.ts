import type { Backend } from "../session/trial.js";
import { DeviceMemory } from "./device-memory.js";
import type { KeptRunParts } from "./kept-runs.js";
import type { KeptRows } from "./kept-rows.js";

/** What the rows of a model share with those of the other models of its group. */
export type KeptParts = Pick<KeptRunParts, "kept" | "memory" | "serve">;

/**
 * Returns what the rows of a model share with those of the other models of its group.
 * @param mayStay whether tensors may be where only the GPU can read them
 */
export function keptParts(
  kept: KeptRows,
  { runtime, device }: Pick<Backend, "runtime" | "device">,
  mayStay: () => boolean,
  serve: KeptRunParts["serve"],
): KeptParts {
  let memory: Promise<DeviceMemory> | null = null;
  const open = async () => new DeviceMemory(runtime, await runtime.env.webgpu.device);
  return { kept, serve, memory: async () => (device === null || !mayStay() ? null : (memory ??= open())) };
}

import type { AdapterFacts } from "../../src/measure/adapter.js";

/** Why a report is missing or incomplete. */
export interface Problem {
  readonly message: string;
  /** Whether the browser lacks the backend. This is an error only if the command names exactly this backend. */
  readonly isAbsence: boolean;
}

/** Returns why WebGPU cannot be measured with the browser's adapter; `null` if it can. */
export function problemOfAdapter(adapter: AdapterFacts | null, requireHardware: boolean): Problem | null {
  if (adapter === null) {
    return { message: "WebGPU: this browser offers no adapter here, so nothing was measured on it.", isAbsence: true };
  }
  if (!requireHardware || !adapter.isSoftware) return null;
  return {
    message: `WebGPU: --require-hardware was given, and the adapter (${adapter.name}) is a software one.`,
    isAbsence: false,
  };
}

/**
 * Returns the problems because of which a run is not complete, each once: a backend that the browser lacks only if it is the
 * only one that was asked for.
 */
export function failuresOf(problems: readonly Problem[], isOnlyBackend: boolean): string[] {
  const failures = problems.filter(({ isAbsence }) => isOnlyBackend || !isAbsence);
  return [...new Set(failures.map(({ message }) => message))];
}

import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { describeDims, typedArrayClass } from "@framebatch/batcher/errors/description.js";
import type { InputPlan } from "./input-plan.js";

/** Builds an error in the form `input "image": expected X, got Y; fix`. */
export function refuseInput(plan: InputPlan, expected: string, got: string, fix: string): FramebatchError {
  return new FramebatchError("INVALID_INPUT", `input "${plan.name}": expected ${expected}, got ${got}; ${fix}`, {
    details: { input: plan.name },
  });
}

/** The error for an array that the caller has given away. A queued item can still end with it. */
export function refuseDetached(plan: InputPlan, data: unknown): FramebatchError {
  const got = `one whose buffer was transferred away (detached ${typedArrayClass(data)})`;
  return refuseInput(plan, describePlan(plan), got, "predict before the transfer, or transfer a copy");
}

/** Returns what an input takes. */
export function describePlan(plan: InputPlan): string {
  return `${plan.element.type} ${describeDims(plan.dims, plan.symbols)}`;
}

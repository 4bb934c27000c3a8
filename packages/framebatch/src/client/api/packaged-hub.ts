import type { ModelHub, ModelHubOptions } from "../../hub/page/model-hub.js";
import { openHub } from "./open-hub.js";

/**
 * Creates a hub that holds many models within a memory budget. It loads each model at its first use, and unloads those
 * that have been idle for longest when another one needs their memory.
 * @throws INVALID_OPTION when an option has a wrong name or value
 * @example
 * ```ts
 * const hub = createModelHub({ memoryBudgetBytes: 300e6 });
 * hub.register("digits", "/models/digits.onnx");
 * hub.register("languages", "/models/languages.onnx");
 * const digits = await hub.get("digits");
 * const { logits } = await digits.predict({ image: pixels });
 * ```
 */
export function createModelHub(options?: ModelHubOptions): ModelHub {
  return openHub(() => import("./all-providers.js"), options);
}

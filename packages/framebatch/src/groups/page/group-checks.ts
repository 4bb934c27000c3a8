import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { GROUP_OPTIONS, type ModelGroupOptions } from "../../client/options/model-group.js";
import { hasGroup } from "../../client/options/grouped-options.js";
import { MODEL_CHECKS } from "../../client/options/model-options.js";
import { checkNames, integerFrom, isOptionsObject } from "@framebatch/batcher/options/option-checks.js";

/** The least memory in which ONNX Runtime starts, with room for a small model, in bytes. */
const LEAST_MEMORY_BYTES = 2 ** 25;

const OWN_CHECKS = {
  maxKeptBytes: /* @__PURE__ */ integerFrom(0, Number.MAX_SAFE_INTEGER, "leave it out for 256 MiB"),
  maxMemoryBytes: /* @__PURE__ */ integerFrom(
    LEAST_MEMORY_BYTES,
    Number.MAX_SAFE_INTEGER,
    "write 300e6 for 300 MB, or leave it out for no limit",
  ),
};

/** Checks the options of a group. @throws INVALID_OPTION when a value is not allowed, or a name does not exist */
export function checkGroupOptions(options: unknown): asserts options is ModelGroupOptions {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  const checks = { ...OWN_CHECKS, ...Object.fromEntries(GROUP_OPTIONS.map((name) => [name, MODEL_CHECKS[name]])) };
  checkNames(options, Object.keys(checks));
  for (const [name, check] of Object.entries(checks)) if (options[name] !== undefined) check(options[name], name);
}

/**
 * Checks that a model leaves to its group what is the group's.
 * @param hasWorker whether the group has a worker with handlers
 * @throws INVALID_OPTION for an option that a model of this group does not have
 */
export function checkGrouped<Options extends object>(
  options: Options,
  hasWorker: boolean,
): asserts options is Exclude<Options, { readonly worker: () => Worker }> {
  for (const name of [...GROUP_OPTIONS, "shared", "instances", "remote"] as const) {
    const value: unknown = Reflect.get(options, name);
    const isGroups = GROUP_OPTIONS.some((own) => own === name);
    const fix = isGroups ? "give it to createModelGroup" : "leave one of them out";
    if (value !== undefined) throw optionError(name, "no value, because group is set", value, fix);
  }
  const handlers: unknown = Reflect.get(options, "handlers");
  if (handlers === undefined) return;
  if (typeof handlers !== "string" || handlers === "") {
    const fix = 'write "mel", as in serve.model("mel", …)';
    throw optionError("handlers", "a name of at least one character", handlers, fix);
  }
  if (!hasWorker) throw optionError("handlers", "a group with the option worker", handlers, "give it one");
}

/**
 * Checks that a model with a worker of its own, or with a server, is in no group. Here, because the code that a page
 * loads at once looks at nothing else to choose between the kinds of models.
 * @throws INVALID_OPTION for the option that a model of a group does not have
 */
export function refuseGroup(options: object): void {
  if (hasGroup(options)) checkGrouped(options, true);
}

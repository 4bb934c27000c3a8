import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { fixForName, quoteNames } from "@framebatch/batcher/errors/names.js";
import { givenIn, setOwn } from "@framebatch/rows/tensor/record.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { isOptionsObject } from "@framebatch/batcher/options/option-checks.js";

/** Names of outputs of the stage before, by the inputs that they become. */
export type Links = Readonly<Record<string, string>>;

/** Checks the option `inputs`. @throws INVALID_OPTION */
export function checkLinks(inputs: unknown): asserts inputs is Links {
  const fix = 'write { frames: "output" } with an input of this model and an output of the stage before';
  const isRight =
    isOptionsObject(inputs) &&
    Object.keys(inputs).length > 0 &&
    Object.values(inputs).every((output) => typeof output === "string");
  if (!isRight) throw optionError("inputs", "outputs of the stage before, by the inputs of the stage", inputs, fix);
}

/** Returns the item of a stage. @param value what the stage before has returned @throws INVALID_INPUT when it lacks an output */
export function itemFrom(links: Links, value: unknown): object {
  const item: Record<string, unknown> = {};
  for (const [input, output] of Object.entries(links)) {
    const tensor = isOptionsObject(value) ? givenIn(value, output) : undefined;
    if (tensor === undefined) throw missing(input, output, value);
    setOwn(item, input, tensor);
  }
  return item;
}

function missing(input: string, output: string, value: unknown): FramebatchError {
  const names = isOptionsObject(value) ? Object.keys(value) : [];
  const fix = fixForName(output, names, "name another one");
  return new FramebatchError(
    "INVALID_INPUT",
    `inputs["${input}"]: expected the stage before to return "${output}", got ${quoteNames(names)}; ${fix}`,
    { details: { input } },
  );
}

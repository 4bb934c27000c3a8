import type { ModelOptions } from "framebatch";
import type { Finding } from "../measure/verdict.js";

/**
 * Source code with the measured options, or with `batching: false` if that is faster.
 * @param ownOptions options of the model that are code, one line each
 */
export function optionsSnippet(
  address: string,
  options: ModelOptions,
  finding: Finding,
  ownOptions: readonly string[] = [],
): string {
  const { batching, maxBatchSize, ...others } = options;
  const measured = { ...(batching !== undefined && { batching }), ...(maxBatchSize !== undefined && { maxBatchSize }) };
  const chosen = { ...others, ...(keepsSizeOne(finding) ? { batching: false } : measured) };
  const call = `const model = await createBatchedModel(${JSON.stringify(address)}`;
  return `import { createBatchedModel } from "framebatch";\n\n${call}${withComma(toSource(chosen, ownOptions))});\n`;
}

function keepsSizeOne(finding: Finding): boolean {
  return finding === "loses";
}

function withComma(source: string): string {
  return source === "{}" ? "" : `, ${source}`;
}

/** Formats options as source code, with unquoted names where possible. */
function toSource(options: object, ownOptions: readonly string[]): string {
  const source = JSON.stringify(options, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
  if (ownOptions.length === 0) return source;
  const own = ownOptions.map((line) => `\n  ${line},`).join("");
  return source === "{}" ? `{${own}\n}` : source.replace("{", `{${own}`);
}

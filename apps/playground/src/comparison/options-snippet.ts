import type { ModelOptions } from "framebatch";
import type { Finding } from "../measure/verdict.js";

/** Source code with the measured options, or with `batching: false` if that is faster. */
export function optionsSnippet(address: string, options: ModelOptions, finding: Finding): string {
  const { batching, maxBatchSize, ...others } = options;
  const measured = { ...(batching !== undefined && { batching }), ...(maxBatchSize !== undefined && { maxBatchSize }) };
  const chosen = { ...others, ...(keepsSizeOne(finding) ? { batching: false } : measured) };
  const call = `const model = await createBatchedModel(${JSON.stringify(address)}`;
  return `import { createBatchedModel } from "framebatch";\n\n${call}${isEmpty(chosen) ? "" : `, ${toSource(chosen)}`});\n`;
}

function keepsSizeOne(finding: Finding): boolean {
  return finding === "loses";
}

function isEmpty(options: object): boolean {
  return Object.keys(options).length === 0;
}

/** Formats options as source code, with unquoted names where possible. */
function toSource(options: object): string {
  return JSON.stringify(options, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}

import type { ModelOptions } from "framebatch";
import type { Finding } from "../measure/verdict.js";

/** The call that a visitor would write after this comparison: the options that were measured, and `batching: false` where that won. */
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

/** As a person would write it: names bare where they may be. */
function toSource(options: object): string {
  return JSON.stringify(options, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
}

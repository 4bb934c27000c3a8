import type { ExternalDataFile, Item, ModelOptions, TensorLike } from "framebatch";
import type { Load } from "../measure/load.js";
import type { Verdict } from "../measure/outcome.js";

export interface SnippetParts {
  /** The model's URL, as a page would write it. */
  readonly address: string;
  /** The measured options. Defaults are left out. */
  readonly options: ModelOptions;
  /** Options of the model that are code, one line each. */
  readonly ownOptions: readonly string[];
  /** Declarations that these options refer to, one line each. */
  readonly ownCode: readonly string[];
  /** Number of items that are asked for at the same time. */
  readonly callers: number;
  /** Whether each caller has a sequence of its own. @default false */
  readonly hasSequences?: boolean;
  /** The options of the texts, if the callers ask for texts. @default they ask for predictions */
  readonly texts?: Load["texts"];
  /** Whether framebatch can be installed from npm. */
  readonly isPublic: boolean;
  /** An item of the load. Only its shape is used. */
  readonly item: Item;
  readonly verdict: Pick<Verdict, "batching">;
  /** The verdict in a few words, for a comment. */
  readonly headline: string;
}

const FROM_NPM = "// npm install framebatch";
const FROM_CLONE = `// framebatch is not on npm yet. In a copy of its repository: npm run build, then npm pack ./packages/framebatch
// In your application: npm install ../framebatch/framebatch-*.tgz`;

/**
 * Complete source code that follows the verdict: how to install, the model with its options, and as many predictions at
 * once as there were callers, so that they share batches.
 */
export function optionsSnippet(parts: SnippetParts): string {
  const { address, options, ownOptions, ownCode, headline, isPublic } = parts;
  const source = toSource(chosenOptions(options, parts), ownOptions);
  const declarations = ownCode.map((line) => `${line}\n`).join("");
  return `${isPublic ? FROM_NPM : FROM_CLONE}
import { createBatchedModel } from "framebatch";
${declarations === "" ? "" : `\n${declarations}`}
// Does batching pay? ${headline}
const model = await createBatchedModel(${JSON.stringify(address)}${source === "{}" ? "" : `, ${source}`});

${callsSource(parts)}
console.log(outputs);
`;
}

/** Files of weights get addresses, as an application would write them. */
export function withAddresses(options: ModelOptions): ModelOptions {
  const { externalData } = options;
  if (!Array.isArray(externalData)) return options;
  const files: readonly ExternalDataFile[] = externalData;
  return {
    ...options,
    externalData: files.map(({ path, source }) => ({
      path,
      source: source instanceof File ? `/models/${source.name}` : source,
    })),
  };
}

/** Source code for the predictions of all callers. */
function callsSource({ item, callers, verdict, hasSequences = false, texts }: SnippetParts): string {
  if (texts !== undefined) {
    return `// Put the tokens of your prompts into the items.${verdict.batching === false ? "" : " Texts that run at the same time share steps."}
const prompts = Array.from({ length: ${callers} }, () => (${itemSource(item)}));
const texts = prompts.map((prompt) => model.generate(prompt, ${textSource(texts)}));
const outputs = await Promise.all(texts.map(({ result }) => result));`;
  }
  const shares = verdict.batching === false ? "" : " Calls of the same moment share batches.";
  if (hasSequences) {
    return `// A stream has a state, which stays in the worker from step to step.${shares}
const streams = Array.from({ length: ${callers} }, () => model.sequence());
const outputs = await Promise.all(streams.map((stream) => stream.predict(${itemSource(item)})));`;
  }
  return `// Put your values into the items.${shares}
const items = Array.from({ length: ${callers} }, () => (${itemSource(item)}));
const outputs = await Promise.all(items.map((item) => model.predict(item)));`;
}

function chosenOptions(options: ModelOptions, { verdict, texts }: SnippetParts): ModelOptions {
  if (verdict.batching !== false) return options;
  const { batching: _release, maxBatchSize: _largest, ...others } = options;
  return texts === undefined ? { ...others, batching: false } : { ...others, maxBatchSize: 1 };
}

/** Formats options as source code, with unquoted names where possible. */
function toSource(options: object, ownOptions: readonly string[]): string {
  const source = JSON.stringify(options, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:")
    .replaceAll(/\[\n\s+("[^"\n]*")\n\s+\]/g, "[$1]");
  if (ownOptions.length === 0) return source;
  const own = ownOptions.map((line) => `\n  ${line},`).join("");
  return source === "{}" ? `{${own}\n}` : source.replace("{", `{${own}`);
}

/** Source code for the options of a text, in one line. */
function textSource(options: object): string {
  const parts = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `{ ${parts.join(", ")} }`;
}

/** Source code for an item of the same shape. */
function itemSource(item: Item): string {
  if (isTensor(item)) return tensorSource(item);
  const lines = Object.entries(item).map(([name, tensor]) => `\n  ${propertyName(name)}: ${tensorSource(tensor)},`);
  return `{${lines.join("")}\n}`;
}

function tensorSource(tensor: TensorLike): string {
  if (!isDescribed(tensor)) return elementsSource(tensor);
  const dims = tensor.dims === undefined ? "" : `, dims: [${tensor.dims.join(", ")}]`;
  const type = tensor.type === undefined ? "" : `, type: "${tensor.type}"`;
  return `{ data: ${elementsSource(tensor.data)}${dims}${type} }`;
}

type Described = Extract<TensorLike, { data: unknown }>;
type Elements = Described["data"];

function isTensor(item: Item): item is TensorLike {
  return Array.isArray(item) || ArrayBuffer.isView(item) || ("data" in item && isElements(item["data"]));
}

function isDescribed(tensor: TensorLike): tensor is Described {
  return !isElements(tensor);
}

function isElements(value: unknown): value is Elements {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function elementsSource(elements: Elements): string {
  if (!Array.isArray(elements)) return `new ${elements.constructor.name}(${elements.length})`;
  return `Array(${elements.length}).fill(${typeof elements[0] === "string" ? '""' : "0"})`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

// The pages of the documentation in the order of "previous" and "next".

/** @typedef {{ readonly source: string, readonly path: string }} Place a Markdown file, and its address under /docs/ */

/** @type {readonly { readonly title: string, readonly sources: readonly string[] }[]} */
export const GROUPS = [
  {
    title: "Start",
    sources: [
      "docs/get-started.md",
      "docs/install.md",
      "docs/is-it-for-me.md",
      "docs/browsers.md",
      "apps/examples/README.md",
    ],
  },
  {
    title: "Guides",
    sources: [
      "docs/guides/search-while-indexing.md",
      "docs/guides/photo-grid.md",
      "docs/guides/widgets-each-frame.md",
      "docs/guides/table.md",
      "docs/guides/transformers.md",
      "docs/guides/several-models.md",
      "docs/guides/streams-with-state.md",
      "docs/guides/many-texts.md",
      "docs/guides/listening-page.md",
      "docs/guides/large-model.md",
      "docs/guides/extension.md",
      "docs/guides/from-onnxruntime-web.md",
      "docs/guides/testing.md",
      "docs/recipes.md",
      "docs/handlers.md",
      "docs/any-engine.md",
      "docs/pipelines.md",
      "docs/hub.md",
      "docs/shared-tabs.md",
      "docs/remote.md",
    ],
  },
  {
    title: "Reference",
    sources: ["docs/options.md", "docs/requests.md", "docs/model-files.md", "docs/what-can-go-wrong.md"],
  },
  { title: "How it works", sources: ["docs/batching.md", "docs/verification.md"] },
  { title: "Measurements", sources: ["docs/results.md"] },
];

/** The folder in which TypeDoc writes the reference of every export. */
export const API = "apps/reference/dist/api/";

/** Files whose address does not follow from their name. */
const NAMED = new Map([
  ["docs/get-started.md", "index.html"],
  ["apps/examples/README.md", "examples.html"],
]);

/**
 * Returns the address of a Markdown file under /docs/, or `undefined` if the file is not a page of the documentation.
 *
 * @param {string} source relative to the root of the repository
 */
export function addressOf(source) {
  const named = NAMED.get(source);
  if (named !== undefined) return named;
  if (source.startsWith(API)) return `api/${htmlName(source.slice(API.length))}`;
  return GROUPS.some(({ sources }) => sources.includes(source)) ? htmlName(source.slice("docs/".length)) : undefined;
}

/** @param {string} file */
function htmlName(file) {
  return file.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
}

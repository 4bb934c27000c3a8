import { transformSync } from "esbuild";

/** The page whose first program a reader can run in place. */
export const RUNNABLE_PAGE = "docs/get-started.md";

const FIRST = /^```ts run\n([^]*?)^```$/m;

/** What stands in for the addresses of the text, from the module's own address. */
const ADDRESSES = {
  '"framebatch"': '"../../examples/framebatch/framebatch.js"',
  '"/models/digits.onnx"': 'new URL("../../examples/models/digits.onnx", import.meta.url)',
};

/**
 * Returns the first program of a page as a module. Its export `run` runs it, with a `console` of the page.
 *
 * @param {string} text the page's Markdown
 */
export function runnableModule(text) {
  const [, code] = FIRST.exec(text) ?? [];
  if (code === undefined) throw new Error(`${RUNNABLE_PAGE} has no block that runs`);
  const imports = code.match(/^import .*$/gm)?.join("\n") ?? "";
  const body = code.replaceAll(/^import .*$/gm, "");
  const module = `${imports}\nexport async function run(console: Pick<Console, "log">) {\n${body}\nawait model.dispose();\n}`;
  return Object.entries(ADDRESSES).reduce(
    (done, [written, real]) => done.replaceAll(written, real),
    transformSync(module, { loader: "ts", target: "es2022" }).code,
  );
}

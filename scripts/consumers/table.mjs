/**
 * An application that installs framebatch, and how it is run. In commands, `{port}` is replaced by a free port.
 *
 * @typedef {object} Consumer
 * @property {string} name For `--only`.
 * @property {string} title
 * @property {string} configuration What the application adds to a fresh one for framebatch's sake.
 * @property {string} [folder] The application's folder in `e2e/consumers`. Default: `name`.
 * @property {Readonly<Record<string, string>>} [versions] Versions that replace those of the folder's package.json.
 * @property {string} [entry] The entry that it imports in place of `framebatch`.
 * @property {readonly string[]} [ships] The builds of ONNX Runtime that its build must emit, by file, and no others.
 * @property {boolean} [hasGuides] Whether it gets the workers of the documentation, as written.
 * @property {string} [answer] What its page shows. Default: the execution provider that the browser offers, and logits.
 * @property {"wasm"} [provider] The provider that it runs on in every browser.
 * @property {string} [prepare] A command that runs once, after the installation.
 * @property {string} [dev] The command that starts its development server.
 * @property {string} [build] The command that builds it.
 * @property {readonly string[]} [output] The folders that the build writes. Default: `dist`.
 * @property {string} [site] The folder that is served after the build. Default: the first of `output`.
 * @property {string} [start] The command that serves the build, for applications with a server of their own.
 * @property {readonly string[]} [checks] Commands that must succeed, for consumers without a page. `{tarball}` is
 *   replaced by the path of the packed package.
 * @property {boolean} [isQuick] Whether `npm test` runs it.
 * @property {string} [quickBuild] The command that builds it in `npm test`. Default: `build`.
 */

const VITE = { folder: "vite", dev: "vite --port {port} --strictPort", build: "vite build", configuration: "none" };
const WASM = {
  entry: "framebatch/wasm",
  ships: ["ort-wasm-simd-threaded.wasm"],
  provider: /** @type {const} */ ("wasm"),
};
const BATCHED = { ships: [], answer: "page 2 4 6" };
const NEXT = { folder: "next", output: [".next/static", ".next/server"], start: "next start --port {port}" };
/**
 * Each version of TypeScript with each kind of module resolution, with both kinds of decorators, and with models that an
 * interface describes. TypeScript 7 has no interface to ask for hovers.
 */
const TYPE_CHECKS = ["5.5", "5.9", "6.0", "7.0"].flatMap((version) => [
  ...["esnext --moduleResolution bundler", "node16", "nodenext"].map((kind) => tsc(version, `. --module ${kind}`)),
  tsc(version, "tsconfig.disposal.json --module nodenext"),
  tsc(version, "tsconfig.legacy.json --module nodenext"),
  tsc(version, "tsconfig.models.json --module nodenext"),
  ...(version === "7.0" ? [] : [`node hovers.mjs typescript-${version}`]),
]);
const WEBPACK_LIKE = { site: ".", configuration: "none" };

/** The slowest first, so that none of them runs alone at the end. @type {readonly Consumer[]} */
export const CONSUMERS = [
  {
    name: "angular",
    title: "Angular CLI 21",
    dev: "ng serve --port {port}",
    build: "ng build",
    output: ["dist/app/browser"],
    prepare: "framebatch copy public",
    configuration: "`npx framebatch copy public`",
  },
  {
    name: "nuxt",
    title: "Nuxt 4.4",
    dev: "nuxt dev --port {port}",
    build: "nuxt build",
    output: [".output/public", ".output/server"],
    start: "node .output/server/index.mjs",
    configuration: "none",
  },
  {
    ...NEXT,
    name: "next-turbopack",
    title: "Next 16 (Turbopack)",
    dev: "next dev --turbopack --port {port}",
    build: "next build --turbopack",
    configuration: "none",
  },
  {
    ...NEXT,
    name: "next-webpack",
    title: "Next 16 (webpack)",
    dev: "next dev --webpack --port {port}",
    build: "next build --webpack",
    configuration: "none",
  },
  {
    ...NEXT,
    ...WASM,
    name: "next-wasm",
    title: "Next 16 (Turbopack), framebatch/wasm",
    build: "next build --turbopack",
    configuration: "none",
  },
  {
    name: "next-guides",
    title: "Next 16, the workers of the guides",
    hasGuides: true,
    checks: ["next build --turbopack", "next build --webpack"],
    configuration: "none",
  },
  {
    name: "sveltekit",
    title: "SvelteKit 2",
    dev: "vite --port {port} --strictPort",
    build: "vite build",
    output: ["build"],
    configuration: "none",
  },
  {
    name: "parcel",
    title: "Parcel 2",
    dev: "parcel index.html --no-autoinstall --dist-dir dist-dev --port {port}",
    build: "parcel build index.html --no-autoinstall",
    configuration: "none",
  },
  { name: "types", title: "TypeScript 5.5 to 7.0", checks: TYPE_CHECKS, configuration: "none" },
  { ...VITE, name: "vite-5", title: "Vite 5", versions: { vite: "5.4.21" } },
  { ...VITE, name: "vite-6", title: "Vite 6", versions: { vite: "6.4.6" } },
  { ...VITE, name: "vite-7", title: "Vite 7", versions: { vite: "7.3.8" } },
  { ...VITE, name: "vite-8", title: "Vite 8", isQuick: true },
  { ...VITE, ...WASM, name: "vite-5-wasm", title: "Vite 5, framebatch/wasm", versions: { vite: "5.4.21" } },
  { ...VITE, ...WASM, name: "vite-8-wasm", title: "Vite 8, framebatch/wasm" },
  {
    ...VITE,
    ...BATCHED,
    name: "vite-5-batched",
    title: "Vite 5, framebatch/batched",
    folder: "vite-batched",
    versions: { vite: "5.4.21" },
  },
  {
    ...VITE,
    ...BATCHED,
    name: "vite-8-batched",
    title: "Vite 8, framebatch/batched",
    folder: "vite-batched",
    isQuick: true,
  },
  {
    ...VITE,
    ...BATCHED,
    name: "vite-5-engine",
    title: "Vite 5, createBatchedWorker",
    folder: "vite-engine",
    versions: { vite: "5.4.21" },
  },
  {
    ...VITE,
    ...BATCHED,
    name: "vite-8-engine",
    title: "Vite 8, createBatchedWorker",
    folder: "vite-engine",
    isQuick: true,
  },
  {
    ...WEBPACK_LIKE,
    name: "webpack",
    title: "webpack 5",
    dev: "webpack serve --mode development --port {port} --static . --output-public-path /dist/",
    build: "webpack --mode production",
    isQuick: true,
    // Minimizing takes twenty seconds.
    quickBuild: "webpack --mode production --no-optimization-minimize",
  },
  {
    ...WEBPACK_LIKE,
    ...WASM,
    name: "webpack-wasm",
    title: "webpack 5, framebatch/wasm",
    folder: "webpack",
    build: "webpack --mode production",
  },
  {
    ...WEBPACK_LIKE,
    ...BATCHED,
    name: "webpack-batched",
    title: "webpack 5, { batched } from framebatch",
    build: "webpack --mode production",
  },
  {
    ...WEBPACK_LIKE,
    name: "rspack",
    title: "Rspack 2",
    dev: "rspack serve --mode development --port {port}",
    build: "rspack build --mode production",
  },
  {
    name: "rsbuild",
    title: "Rsbuild 2",
    dev: "rsbuild dev --port {port}",
    build: "rsbuild build",
    configuration: "none",
  },
  {
    name: "esbuild",
    title: "esbuild (ESM, splitting)",
    build: "esbuild main.js --bundle --format=esm --splitting --minify --outdir=dist",
    site: ".",
    prepare: "framebatch copy dist",
    configuration: "`npx framebatch copy dist`",
  },
  {
    ...WASM,
    name: "esbuild-wasm",
    title: "esbuild (ESM, splitting), framebatch/wasm",
    folder: "esbuild",
    build: "esbuild main.js --bundle --format=esm --splitting --minify --outdir=dist",
    site: ".",
    prepare: "framebatch copy dist wasm",
    configuration: "`npx framebatch copy dist wasm`",
  },
  {
    name: "rollup",
    title: "Rollup 4",
    build: "rollup --config",
    site: ".",
    prepare: "framebatch copy dist",
    configuration: "`npx framebatch copy dist`",
  },
  {
    name: "manifest",
    title: "publint, attw",
    // There is no CommonJS: what only `require` in old versions of Node or TypeScript could miss is left out.
    checks: ["publint node_modules/framebatch --strict --pack false", "attw --profile esm-only {tarball}"],
    configuration: "none",
  },
  { name: "script-tag", title: "script tag", site: ".", output: [], configuration: "none", isQuick: true },
  { name: "cdn-script", title: "script tag, CDN", site: ".", output: [], configuration: "none" },
  { name: "cdn-module", title: "import map, CDN", site: ".", output: [], configuration: "none" },
];

/**
 * @param {string} version
 * @param {string} rest
 */
function tsc(version, rest) {
  return `node node_modules/typescript-${version}/bin/tsc --project ${rest}`;
}

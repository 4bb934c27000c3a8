// The arguments of `npm run bench`, checked before anything is built.
import { readFileSync } from "node:fs";
import { existing, oneOf, wholeNumber } from "./arguments.mjs";
import { Problem } from "./workspace.mjs";

/** Names of backends and sites. */
export const BACKENDS = ["wasm", "webgpu"];
export const SITES = ["isolated", "ordinary"];

export const USAGE = `Usage: npm run bench -- [options]
  --quick              a short run of at most 60 seconds
  --full               more loads and lanes, in less than 20 minutes
  --every              every cell; takes hours
  --peers              compare framebatch with the best alternatives without it, in 25 minutes; WASM unless --backend is set
  --instances          compare one worker with two, in 8 minutes; WASM unless --backend is set
  --ways               compare the default way to run with each way by hand, for five models in about half an hour
  --engines            compare transformers.js in createBatchedWorker with transformers.js by hand, in two minutes
  --streams            compare sequences of a model with state with workers by hand, for 1 to 64 streams, in five minutes
  --groups             compare six models in a group with one worker by hand: memory and processor time, in two minutes
  --texts              compare generation of many texts with decoders by hand, for 1 to 16 texts, in six minutes
  --ledger             show where the time and the garbage of one caller's calls go, on the page and in the worker, beside
                       what a page has by hand, in ten minutes; WASM
  --build NAME=FOLDER  compare builds of framebatch, each in a checkout that is built, at least two of them;
                       the first is what the others are compared with; in 12 minutes
  --page               widgets that call framebatch or a peer while the page animates and is typed in, for one model in
                       three minutes; WASM unless --backend is set
  --all                with --ways: all models, in more rounds; with --page: more models, loads and pages, in two hours
  --models LIST        with --ways, --ledger and --page: these models, by name and separated by commas
  --only TEXT          run only cells whose model/backend/load/lane contains TEXT; with --page: whose load does
  --model FILE_OR_URL  measure this model instead of the benchmark's own models
  --backend NAME       wasm or webgpu; default: both
  --require-hardware   reject a WebGPU adapter that runs in software
  --rounds NUMBER      number of slices of each cell and site; the time limit of the run grows with it
  --pages NUMBER       number of pages that measure each cell on each site
  --site NAME          ordinary or isolated (cross-origin); default: both with --full, --every, --peers,
                       --instances, --ways, --ledger and --page, ordinary with --streams, --groups and --texts,
                       otherwise isolated
  --seed NUMBER        seed of the inputs and of the order of lanes; default: 1
  --json FILE          also write the results as JSON to FILE
  --compare OLD.json   report differences from that run that are larger than noise`;

export const OPTIONS = /** @type {const} */ ({
  quick: { type: "boolean", default: false },
  full: { type: "boolean", default: false },
  every: { type: "boolean", default: false },
  peers: { type: "boolean", default: false },
  instances: { type: "boolean", default: false },
  ways: { type: "boolean", default: false },
  engines: { type: "boolean", default: false },
  streams: { type: "boolean", default: false },
  groups: { type: "boolean", default: false },
  texts: { type: "boolean", default: false },
  ledger: { type: "boolean", default: false },
  build: { type: "string", multiple: true, default: [] },
  page: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  models: { type: "string" },
  compare: { type: "string" },
  only: { type: "string", default: "" },
  model: { type: "string" },
  backend: { type: "string" },
  "require-hardware": { type: "boolean", default: false },
  rounds: { type: "string" },
  pages: { type: "string" },
  site: { type: "string" },
  seed: { type: "string", default: "1" },
  json: { type: "string" },
});

/** What the benchmark has, which is not built yet. A unit test compares it with the sources. */
export const MODELS = [
  "mlp-tiny",
  "mlp-784",
  "digits",
  "text-encoder",
  "languages",
  "cnn-28",
  "cnn-64",
  "magika",
  "ocr-classifier",
  "ocr-recogniser",
  "ocr-detector",
];
export const PAGE_LOADS = ["widgets", "closed"].flatMap((kind) =>
  [1, 4, 16, 64, 256].map((count) => `${kind}-${count}`),
);
export const FORMAT = 4;

/** The modes, of which one is chosen, and the options that only some of them read. */
const MODES = /** @type {const} */ ([
  "quick",
  "full",
  "every",
  "peers",
  "instances",
  "build",
  "ways",
  "engines",
  "streams",
  "groups",
  "texts",
  "ledger",
  "page",
]);
const OF_SOME = /** @type {const} */ ([
  "all",
  "models",
  "only",
  "model",
  "backend",
  "require-hardware",
  "rounds",
  "site",
  "compare",
]);

/** What a mode reads of these. */
const USUAL = ["only", "model", "backend", "require-hardware", "rounds", "site", "compare"];
/** @type {Readonly<Record<string, readonly string[]>>} */
const READ = {
  ways: ["all", "models", "backend", "require-hardware", "rounds", "site"],
  page: ["all", "models", "only", "backend", "require-hardware", "site"],
  engines: [],
  streams: ["site"],
  groups: ["site"],
  texts: ["site"],
  ledger: ["models", "site"],
};

/**
 * @typedef {object} Values
 * @property {string} only
 * @property {string} seed
 * @property {readonly string[]} build
 * @property {boolean} page
 * @property {string} [models]
 * @property {string} [backend]
 * @property {string} [site]
 * @property {string} [rounds]
 * @property {string} [pages]
 * @property {string} [compare]
 */

/**
 * Throws a `Problem` for a value that is wrong, or that the chosen mode does not read.
 *
 * @param {Values & Partial<Record<(typeof MODES)[number] | (typeof OF_SOME)[number], unknown>>} values
 */
export function checkArguments(values) {
  const { build, models, backend, site, seed, rounds, pages, compare } = values;
  if (build.length === 1) throw new Problem("--build must be given at least twice.");
  checkMode(values);
  for (const model of models?.split(",") ?? []) oneOf("--models", model, MODELS);
  if (backend !== undefined) oneOf("--backend", backend, BACKENDS);
  if (site !== undefined) oneOf("--site", site, SITES);
  wholeNumber("--seed", seed, { least: 0, most: 999_999_999 });
  if (rounds !== undefined) wholeNumber("--rounds", rounds, { most: 9999 });
  if (pages !== undefined) wholeNumber("--pages", pages, { most: 99 });
  if (compare !== undefined) checkCompared(existing("--compare", compare));
}

/** @param {Parameters<typeof checkArguments>[0]} values */
function checkMode(values) {
  const isGiven = (/** @type {string} */ name) => {
    const value = Object.entries(values).find(([each]) => each === name)?.[1];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false && value !== "";
  };
  const [mode, ...others] = MODES.filter(isGiven);
  const names = MODES.map((name) => `--${name}`);
  if (others.length > 0)
    throw new Problem(
      `${names.slice(0, -1).join(", ")} and ${names.at(-1)} exclude one another. Pass only one of them.`,
    );
  const read = READ[mode ?? ""] ?? USUAL;
  const unread = OF_SOME.find((name) => isGiven(name) && !read.includes(name));
  if (unread !== undefined) {
    const readers = MODES.filter((each) => READ[each]?.includes(unread)).map((each) => `--${each}`);
    const needed = USUAL.includes(unread) ? "" : ` It needs ${readers.slice(0, -1).join(", ")} or ${readers.at(-1)}.`;
    throw new Problem(`--${unread} has no effect ${mode === undefined ? "alone" : `with --${mode}`}.${needed}`);
  }
  if (values.page && !PAGE_LOADS.some((load) => load.includes(values.only)))
    throw new Problem(`--only: expected a part of one of ${PAGE_LOADS.join(", ")}, got "${values.only}".`);
}

/** @param {string} file */
function checkCompared(file) {
  const wanted = `--compare: expected the JSON of npm run bench in format ${FORMAT}, got "${file}"`;
  const report = parsed(file);
  if (report === undefined) throw new Problem(`${wanted}, which is no JSON.`);
  if (report?.format !== FORMAT || !Array.isArray(report.ratios))
    throw new Problem(`${wanted}, which has ${report?.format === FORMAT ? "no ratios" : `format ${report?.format}`}.`);
}

/** @param {string} file */
function parsed(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

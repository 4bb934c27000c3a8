import path from "node:path";
import { describe, expect, it } from "vitest";
import { ALL } from "../apps/bench/runner/page/plan.js";
import { FORMAT as FORMAT_OF_REPORTS } from "../apps/bench/runner/results/report.js";
import { ALL_MODELS } from "../apps/bench/runner/ways/plan.js";
import { MODELS as OWN_MODELS } from "../apps/bench/src/models.js";
import { REAL_MODELS } from "../apps/bench/src/real-models.js";
import { readArguments } from "./arguments.mjs";
import { checkArguments, FORMAT, MODELS, OPTIONS, PAGE_LOADS } from "./bench-arguments.mjs";
import { root } from "./workspace.mjs";

const RESULTS = path.join(root, "docs/results");

/** @param {readonly string[]} args */
function check(...args) {
  return () => readArguments("USAGE", { options: OPTIONS }, ({ values }) => checkArguments(values), args);
}

describe("the arguments of the benchmark", () => {
  it("know the models, the loads of pages and the format of reports without a build", () => {
    expect(MODELS).toEqual([...OWN_MODELS, ...REAL_MODELS].map(({ name }) => name));
    expect(MODELS).toEqual(ALL_MODELS.models);
    expect(PAGE_LOADS).toEqual(ALL.loads);
    expect(FORMAT).toBe(FORMAT_OF_REPORTS);
  });

  it.each([
    [["--ways", "--models", "nosuch"], '--models: expected one of mlp-tiny, .*, got "nosuch"'],
    [["--page", "--models", "digits,"], '--models: expected one of mlp-tiny, .*, got ""'],
    [["--page", "--only", "nosuch"], '--only: expected a part of one of widgets-1, .*, got "nosuch"'],
    [["--models", "digits"], "--models has no effect alone. It needs --ways, --ledger or --page."],
    [["--peers", "--all"], "--all has no effect with --peers. It needs --ways or --page."],
    [["--engines", "--rounds", "3"], "--rounds has no effect with --engines."],
    [["--engines", "--site", "isolated"], "--site has no effect with --engines."],
    [["--streams", "--only", "x"], "--only has no effect with --streams."],
    [["--groups", "--compare", "x"], "--compare has no effect with --groups."],
    [["--texts", "--rounds", "3"], "--rounds has no effect with --texts."],
    [["--page", "--rounds", "3"], "--rounds has no effect with --page."],
    [["--ways", "--model", "x.onnx"], "--model has no effect with --ways."],
    [["--quick", "--peers"], "--quick, --full, .* and --page exclude one another"],
    [["--build", "a=b"], "--build must be given at least twice"],
    [
      ["--compare", "README.md"],
      '--compare: expected the JSON of npm run bench in format 4, got ".*", which is no JSON',
    ],
    [["--compare", path.join(RESULTS, "widgets/cnn-28.json")], "which has format \\d"],
    [["--compare", "package.json"], "which has format undefined"],
  ])("are rejected before anything is built: %j", (args, said) => {
    expect(check(...args)).toThrow(new RegExp(said));
  });

  it.each([
    [[]],
    [["--quick", "--only", "digits", "--rounds", "2", "--site", "ordinary"]],
    [["--ways", "--models", "magika,digits", "--require-hardware", "--rounds", "2"]],
    [["--page", "--only", "closed-6", "--all", "--backend", "webgpu", "--require-hardware"]],
    [["--streams", "--site", "isolated", "--pages", "2", "--seed", "0"]],
    [["--texts", "--site", "ordinary", "--pages", "1"]],
    [["--build", "a=b", "--build", "c=d", "--compare", path.join(RESULTS, "latest.json")]],
    [["--json", "bench-results/x.json"]],
  ])("are accepted: %j", (args) => {
    expect(check(...args)).not.toThrow();
  });
});

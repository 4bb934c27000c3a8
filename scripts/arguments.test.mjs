import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { namedFolder, oneOf, positiveNumber, readArguments, wholeNumber } from "./arguments.mjs";
import { MEASURES } from "./measures.mjs";
import { Problem, root } from "./workspace.mjs";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
const measures = MEASURES.map(({ name }) => `scripts/measure.mjs ${name}`);
/** Each starts Node. */
const COMMANDS = [
  ...Object.values(scripts).flatMap((command) => /^node (\S+)$/.exec(command)?.[1] ?? []),
  ...(process.env["FRAMEBATCH_ALL"] === undefined ? measures.slice(0, 3) : measures),
];

it.each(COMMANDS)("%s rejects an unknown option with its usage, and does nothing", async (command) => {
  const args = [...command.split(" "), "--no-such-option"];
  const running = promisify(execFile)(process.execPath, args, { cwd: root, timeout: 60_000 });
  const { code, stdout, stderr } = await running.catch((error) => error);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^\n.*--no-such-option.*\n\nUsage: n/);
});

it("a measurement that does not exist is refused with the list of those that do", async () => {
  const running = promisify(execFile)(process.execPath, ["scripts/measure.mjs", "speed"], { cwd: root });
  const { code, stdout, stderr } = await running.catch((error) => error);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/"speed".*\n\nUsage: npm run measure NAME/);
  for (const { name, answers } of MEASURES) expect(stderr).toMatch(new RegExp(`^  ${name} +${answers}`, "m"));
});

it("has at most 12 npm scripts, so that they can be known by heart", () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(12);
});

it.each([
  [["--mb", "x"], '--mb: expected a whole number, 5 or more, got "x".'],
  [["--mb", "4"], '--mb: expected a whole number, 5 or more, got "4".'],
  [["--mb"], "Option '--mb <value>' argument missing"],
  [["--mb", "-1"], "Option '--mb' argument is ambiguous."],
  [["more"], "Unexpected argument 'more'."],
])("says in one line what is wrong, and then the usage: %j", (args, said) => {
  const read = () =>
    readArguments(
      "USAGE",
      { options: { mb: { type: "string" } } },
      ({ values }) => wholeNumber("--mb", values.mb ?? "", { least: 5 }),
      args,
    );
  expect(read).toThrow(Problem);
  expect(read).toThrow(said);
  expect(read).toThrow(/^.+\n\nUSAGE$/);
});

it.each([
  [() => wholeNumber("--port", "65536", { most: 65_535 }), "--port: expected a whole number, 1 to 65535"],
  [() => positiveNumber("--mbit", "0"), "--mbit: expected a number above 0"],
  [() => positiveNumber("--mbit", "fast"), "--mbit: expected a number above 0"],
  [() => oneOf("--only", "b", ["a", "c"]), '--only: expected one of a, c, got "b"'],
  [() => namedFolder("--dist", "before"), '--dist: expected NAME=FOLDER, got "before"'],
])("rejects a wrong value: %s", (read, said) => {
  expect(read).toThrow(said);
});

it("does not hide a mistake of its own", () => {
  const read = () =>
    readArguments(
      "USAGE",
      {},
      () => {
        throw new TypeError("a bug");
      },
      [],
    );
  expect(read).toThrow(TypeError);
});

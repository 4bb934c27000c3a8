// Releases framebatch: raises the version, writes the changelog, packs and checks, all in a clone of the last commit.
// Then it takes the new commit and its tag over. The workflow `release.yml` publishes a tag that is pushed.
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { lastLines, main, pnpm, Problem, root, run, since } from "./workspace.mjs";

const USAGE = `Usage: npm run release [-- --dry-run]
  --dry-run   changes nothing in this repository`;
const PACKAGE = "packages/framebatch";

await main(async () => {
  const startedAtMs = performance.now();
  const options = /** @type {const} */ ({ "dry-run": { type: "boolean", default: false } });
  const isDryRun = readArguments(USAGE, { options }, ({ values }) => values["dry-run"]);
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "framebatch-release-")));
  try {
    const tag = await prepare(folder);
    if (isDryRun) console.log(`\nDry run: ${tag} was not taken over (${since(startedAtMs)}).`);
    else await takeOver(folder, tag);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/**
 * Prepares a release in a clone: a commit with its tag.
 *
 * @param {string} folder where the clone is made
 * @returns {Promise<string>} the tag
 */
async function prepare(folder) {
  await succeed("git", ["clone", "--quiet", root, folder], root);
  await told("install", () => pnpm(["install", "--frozen-lockfile", "--prefer-offline"], { cwd: folder, quiet: true }));
  await told("version", () => runTool(folder, "changeset", ["version"]));
  await told("format", () => runTool(folder, "oxfmt", [PACKAGE]));
  // Until framebatch is on npm, the documentation names the packed file, and so the version.
  const publication = ["scripts/publication.mjs"];
  await told("documentation", () => run(process.execPath, publication, { cwd: folder, quiet: true }));
  const tag = await tagOf(folder);
  console.log(await succeed("git", ["diff", "--", PACKAGE, "README.md", "docs"], folder));
  await succeed("git", ["add", "--all"], folder);
  // The first release has no changesets, and therefore nothing to commit.
  await succeed("git", ["commit", "--quiet", "--allow-empty", "--message", `Release ${tag}`], folder);
  await succeed("git", ["tag", "--annotate", tag, "--message", `framebatch ${tag}`], folder);
  await told("npm pack --dry-run", () => run("npm", ["pack", "--dry-run"], { cwd: path.join(folder, PACKAGE) }));
  await told("consumers", () => run(process.execPath, ["scripts/consumers.mjs"], { cwd: folder }));
  return tag;
}

/**
 * Returns the tag of the version in the clone, which must be new.
 *
 * @param {string} folder
 */
async function tagOf(folder) {
  const { version } = JSON.parse(await readFile(path.join(folder, PACKAGE, "package.json"), "utf8"));
  const tag = `v${version}`;
  if ((await succeed("git", ["tag", "--list", tag], folder)) === "") return tag;
  throw new Problem(`${tag} is released, and there is no changeset. Describe the change: node_modules/.bin/changeset`);
}

/**
 * Takes the commit and the tag over from the clone.
 *
 * @param {string} folder
 * @param {string} tag
 */
async function takeOver(folder, tag) {
  await succeed("git", ["fetch", "--quiet", folder, `refs/tags/${tag}:refs/tags/${tag}`], root);
  await succeed("git", ["merge", "--quiet", "--ff-only", tag], root);
  console.log(`\n${tag} is ready. To publish it: git push --follow-tags`);
}

/**
 * @param {string} what
 * @param {() => Promise<{ code: number, output: string }>} action
 */
async function told(what, action) {
  const startedAtMs = performance.now();
  const { code, output } = await action();
  if (code !== 0) throw new Problem(`${what} failed. ${lastLines(output, 20)}`);
  console.log(`ok      ${what} (${since(startedAtMs)})`);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
async function succeed(command, args, cwd) {
  const { code, output } = await run(command, args, { cwd, quiet: true });
  if (code !== 0) throw new Problem(`${command} ${args.join(" ")} failed:\n${lastLines(output, 20)}`);
  return output.trim();
}

/**
 * Runs a program that the dependencies of the clone bring.
 *
 * @param {string} folder
 * @param {string} name
 * @param {readonly string[]} args
 */
function runTool(folder, name, args) {
  return run(path.join(folder, "node_modules/.bin", name), args, { cwd: folder, quiet: true });
}

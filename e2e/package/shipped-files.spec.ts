import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@playwright/test";
import { LONG } from "../support/test.js";

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const PACKAGE = path.join(ROOT, "packages", "framebatch");
const BUILT = ["host", "batcher", "rows", "pipelines", "remote", "framebatch"];
const SCRIPT = /\.(js|mjs|wasm)$/;
/**
 * ONNX Runtime's builds with WebGPU contain one `new Function` that they never call. They work without 'unsafe-eval'.
 */
const WITH_NEW_FUNCTION = /^framebatch\.ort\.(jspi|webgpu)\.js$/;

test("no shipped file evaluates text, except two of ONNX Runtime's builds", async () => {
  for (const [name, text] of await shippedScripts()) {
    expect(text, name).not.toMatch(/(?<![\w$.])eval\(|javascript:|document\.write|innerHTML/);
    if (!WITH_NEW_FUNCTION.test(name)) expect(text, name).not.toMatch(/new Function\(/);
  }
});

test("no shipped file contains an address to fetch from", async () => {
  const addresses: string[] = [];
  for (const [, text] of await shippedScripts()) addresses.push(...(text.match(/https?:\/\/[^\s"'`)]+/g) ?? []));
  // None is fetched: they are in a warning of ONNX Runtime, in the detection of a Git LFS pointer, and in a comment.
  const known = /^https:\/\/(web\.dev\/cross-origin-isolation-guide\/|git-lfs|github\.com\/protocolbuffers\/)/;
  expect(addresses.filter((address) => !known.test(address))).toEqual([]);
});

test("no shipped file contains protobufjs, because some versions have known vulnerabilities", async () => {
  for (const [name, text] of await shippedScripts()) expect(text, name).not.toMatch(/protobufjs|\$protobuf/);
});

test("every dependency has one exact version, and the overrides are in effect", async () => {
  const workspace = await readFile(path.join(ROOT, "pnpm-workspace.yaml"), "utf8");
  const [, catalog = ""] = /\ncatalog:\n((?: {2}.*\n)+)/.exec(workspace) ?? [];
  const versions = catalog
    .trim()
    .split("\n")
    .map((line) => line.split(": ").at(-1) ?? "");
  expect(versions.length).toBeGreaterThan(10);
  expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  for (const file of ["package.json", "packages/framebatch/package.json", "e2e/package.json", "models/package.json"]) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(await readFile(path.join(ROOT, file), "utf8"));
    const wanted = Object.values<string>({ ...dependencies, ...devDependencies });
    expect(
      wanted.filter((version) => !/^(catalog:|workspace:\*)$/.test(version)),
      file,
    ).toEqual([]);
  }
  const lockfile = await readFile(path.join(ROOT, "pnpm-lock.yaml"), "utf8");
  const [, minor = 0] = (/^ {2}protobufjs@7\.(\d+)\./m.exec(lockfile) ?? []).map(Number);
  expect(minor).toBeGreaterThanOrEqual(6);
});

test("a second build gives the same files, byte by byte", { tag: LONG }, async () => {
  // The copies are as deep as the packages, and beside each other: the names of chunks depend on relative paths.
  const folder = path.join(ROOT, "test-results");
  try {
    for (const name of BUILT) await copyPackage(name, folder);
    const copy = path.join(folder, "framebatch");
    await promisify(execFile)(process.execPath, ["build.mjs"], { cwd: copy });
    expect(await digests(path.join(copy, "dist"))).toEqual(await digests(path.join(PACKAGE, "dist")));
  } finally {
    for (const name of BUILT) await rm(path.join(folder, name), { recursive: true, force: true });
  }
});

/** Copies a package without what is built. It finds the copies of the others. */
async function copyPackage(name: string, folder: string): Promise<void> {
  const own = path.join(ROOT, "packages", name);
  const modules = path.join(folder, name, "node_modules");
  await cp(own, path.dirname(modules), { recursive: true, filter: (file) => !/\/(node_modules|dist)$/.test(file) });
  await mkdir(path.join(modules, "@framebatch"), { recursive: true });
  const installed = await readdir(path.join(own, "node_modules")).catch(() => []);
  for (const entry of installed.filter((file) => file !== "@framebatch"))
    await symlink(path.join(own, "node_modules", entry), path.join(modules, entry));
  for (const other of BUILT) await symlink(path.join(folder, other), path.join(modules, "@framebatch", other));
}

/** Returns the shipped scripts: name and text. */
async function shippedScripts(): Promise<[name: string, text: string][]> {
  const names = (await readdir(path.join(PACKAGE, "dist"))).filter((name) => /\.(js|mjs)$/.test(name));
  expect(names).toContain("framebatch.global.js");
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [
      name,
      await readFile(path.join(PACKAGE, "dist", name), "utf8"),
    ]),
  );
}

async function digests(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => SCRIPT.test(name)).sort();
  const entries = names.map(async (name) => {
    const bytes = await readFile(path.join(folder, name));
    return [name, createHash("sha256").update(bytes).digest("hex")] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

import process from "node:process";
import { CDN_HOST } from "./cdn.mjs";

const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
/** WebGPU in software, as in the other browser tests. */
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** @typedef {import("./visit.mjs").Visit["provider"]} Provider */

/**
 * Opens a browser for each execution provider.
 *
 * @param {string} executablePath of Chromium
 * @param {ReadonlySet<Provider>} providers
 * @param {number} cdnPort the port on localhost to which the address of the CDN leads
 */
export async function openBrowsers(executablePath, providers, cdnPort) {
  // A dynamic import, because it needs the installed dependencies.
  const { chromium } = await import("@playwright/test");
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const flags = [...QUIET, ...sandbox, `--host-resolver-rules=MAP ${CDN_HOST} localhost:${cdnPort}`];
  const opened = [...providers].map(async (provider) => {
    const args = [...flags, ...(provider === "webgpu" ? WEBGPU : [])];
    return /** @type {const} */ ([provider, await chromium.launch({ executablePath, args })]);
  });
  return new Map(await Promise.all(opened));
}

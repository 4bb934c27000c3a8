import { cpSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { chromium, expect, test } from "@playwright/test";
import { ROOT } from "../docs/snippets.js";

test("an unpacked extension predicts in an offscreen document", async () => {
  const extension = unpacked();
  const profile = mkdtempSync(path.join(os.tmpdir(), "framebatch-profile-"));
  const executablePath = process.env["FRAMEBATCH_CHROMIUM"];
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath === undefined ? { channel: "chromium" } : { executablePath }),
    args: [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
  });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
  const page = await context.newPage();
  await page.goto(new URL("popup.html", worker.url()).href);
  await expect(page.locator("output")).toHaveText("1", { timeout: 30_000 });
  await context.close();
  for (const folder of [extension, profile]) rmSync(folder, { recursive: true, force: true });
});

/** The extension with the files of framebatch and its model, as the guide says. */
function unpacked(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "framebatch-extension-"));
  cpSync(path.join(ROOT, "apps/examples/public/extension"), folder, { recursive: true });
  cpSync(path.join(ROOT, "packages/framebatch/dist"), path.join(folder, "framebatch"), { recursive: true });
  cpSync(path.join(ROOT, "models/digits/digits.onnx"), path.join(folder, "models/digits.onnx"));
  return folder;
}

import { readFileSync } from "node:fs";
import type { Page, Worker } from "@playwright/test";
import { axeViolations } from "../support/pages/axe.js";
import { compare } from "../support/pages/playground.js";
import { expect, IS_COMPLETE, LONG, test } from "../support/test.js";

const publication: { readonly isPublic: boolean } = JSON.parse(
  readFileSync(new URL("../../publication.json", import.meta.url), "utf8"),
);

const LANES = ["batched", "single"] as const;
type Lane = (typeof LANES)[number];

test("both worlds drive by the answers of their models before any click, and pass axe", async ({
  page,
  playground,
}) => {
  await page.goto(`${playground.url}/?cars=32`);
  for (const lane of LANES) {
    await expect.poll(() => figure(page, "answers", lane), lane).toBeGreaterThan(0);
    const before = await picture(page, lane);
    await expect.poll(() => picture(page, lane), lane).not.toEqual(before);
  }
  await expect(page.getByTestId("backend")).toContainText("WASM");
  await expect(page.getByTestId("car-count-limits")).toContainText("frames a second, batching");
  await test.step("the untrained network drives too, and crashes more often", async () => {
    const trained = page.getByTestId("trained-switch");
    if (IS_COMPLETE) await expect.poll(() => figure(page, "crashes", "batched")).toBeLessThan(700);
    const before = playground.answered.length;
    await trained.focus();
    await page.keyboard.press("Space");
    await expect(trained).not.toBeChecked();
    await expect(page).toHaveURL(/drivers=untrained/);
    const loaded = () => playground.answered.slice(before).map(({ path }) => path);
    await expect.poll(loaded).toContainEqual(expect.stringContaining("drivers-untrained"));
    await expect.poll(() => figure(page, "answers", "batched")).toBeGreaterThan(0);
    // A unit test of the networks tells how far each drives before it crashes.
    if (IS_COMPLETE) await expect.poll(() => figure(page, "crashes", "batched")).toBeGreaterThan(700);
  });
  await test.step("the worlds can be stopped", async () => {
    await page.getByTestId("moving-switch").click();
    await expect(page.getByTestId("moving-switch")).not.toBeChecked();
    expect(await axeViolations(page)).toEqual([]);
  });
});

test("the slider sets the number of cars by keyboard, in the address too", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?moving=off`);
  const slider = page.getByTestId("car-count");
  await expect(slider).toHaveAttribute("aria-valuetext", "256 cars");
  await slider.press("End");
  await expect(slider).toHaveAttribute("aria-valuetext", "1024 cars");
  await slider.press("Home");
  await expect(slider).toHaveAttribute("aria-valuetext", "16 cars");
  await expect(page).toHaveURL(/cars=16/);
});

test(
  "the figures below both sides are in the first view of a usual window",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.goto(`${playground.url}/?moving=off`);
    for (const scene of ["cars", "streams", "translate"] as const) {
      await page.getByTestId(`scene-${scene}`).click();
      for (const [width, height] of [
        [1280, 800],
        [1440, 900],
        [1100, 820],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const lane of LANES) {
          const figures = page.getByTestId(`${scene}-${lane}`).locator(".world-figures");
          await expect(figures, `${scene}, ${width} × ${height} px`).toBeInViewport({ ratio: 1 });
        }
      }
    }
    await page.setViewportSize({ width: 1100, height: 900 });
  },
);

test(
  "worlds rest after a change, so that busy cars leave the processor to the page",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.goto(`${playground.url}/?cars=16`);
    for (const lane of LANES) await expect.poll(() => figure(page, "answers", lane), lane).toBeGreaterThan(0);
    const worlds = worldsOf(page);
    expect(worlds).toHaveLength(LANES.length);
    await Promise.all(worlds.map((world) => world.evaluate(recordRests)));
    for (const [before, key] of ["ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft"].entries()) {
      await page.getByTestId("car-count").press(key);
      for (const world of worlds) await expect.poll(() => world.evaluate<number[]>("restsMs")).toHaveLength(before + 1);
    }
    // Without a rest, the next frame comes sooner at least once.
    for (const world of worlds) expect(Math.min(...(await world.evaluate<number[]>("restsMs")))).toBeGreaterThan(95);
  },
);

for (const [scene, settings, running] of [
  ["cars", "?cars=16", "answers"],
  ["streams", "?scene=streams&streams=4", "heard"],
] as const) {
  test(
    `a canvas of ${scene} that has another size shows its world at once`,
    { tag: LONG },
    async ({ page, playground }) => {
      await page.goto(`${playground.url}/${settings}`);
      for (const lane of LANES) await expect(page.getByTestId(`${scene}-${running}-${lane}`)).toContainText(/\d/);
      await Promise.all(worldsOf(page).map((world) => world.evaluate(recordEmptied)));
      await page.setViewportSize({ width: 390, height: 844 });
      for (const world of worldsOf(page)) await expect.poll(() => world.evaluate<number>("resized")).toBeGreaterThan(0);
      for (const world of worldsOf(page)) expect(await world.evaluate<number>("emptied")).toBe(0);
      await page.setViewportSize({ width: 1100, height: 900 });
    },
  );

  test(`a world of ${scene} goes on after its canvas was hidden`, { tag: LONG }, async ({ page, playground }) => {
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`${playground.url}/${settings}`);
    for (const lane of LANES) await expect(page.getByTestId(`${scene}-${running}-${lane}`)).toContainText(/\d/);
    await Promise.all(worldsOf(page).map((world) => world.evaluate(recordEmptied)));
    const canvas = page.getByTestId(`${scene}-world-single`);
    for (const [count, display] of ["none", "block"].entries()) {
      await canvas.evaluate((element, value) => (element.style.display = value), display);
      const changes = (): Promise<number[]> =>
        Promise.all(worldsOf(page).map((world) => world.evaluate<number>("resized")));
      await expect.poll(async () => Math.max(...(await changes()))).toBeGreaterThan(count);
    }
    const look = async (): Promise<string> => (await canvas.screenshot()).toString("base64");
    const before = await look();
    await expect.poll(look).not.toEqual(before);
    expect(errors).toEqual([]);
  });
}

test(
  "nothing moves and no model loads for users who prefer reduced motion, until they ask",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    const models: string[] = [];
    page.on("request", (request) => request.url().endsWith(".onnx") && models.push(request.url()));
    await page.goto(`${playground.url}/?cars=16`);
    await expect(page.getByTestId("moving-switch")).not.toBeChecked();
    await expect(page.getByTestId("backend")).toContainText("No backend yet");
    expect(models).toEqual([]);
    await page.route("**/drivers*.onnx", (route) => route.fulfill({ status: 404 }));
    await page.getByTestId("moving-switch").click();
    await expect(page.getByTestId("error")).toBeVisible();
    await page.unroute("**/drivers*.onnx");
    await page.getByRole("button", { name: "Try again" }).click();
    for (const lane of LANES) await expect.poll(() => figure(page, "answers", lane)).toBeGreaterThan(0);
    await test.step("figures of one number of cars are not shown for another", async () => {
      await page.getByTestId("moving-switch").click();
      await page.getByTestId("car-count").fill("1");
      for (const lane of LANES) await expect(page.getByTestId(`cars-answers-${lane}`)).toHaveText("–");
    });
  },
);

test(
  "the load of the scene can be measured, with one caller for each car",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.goto(`${playground.url}/?cars=16&moving=off`);
    await expect(page.getByTestId("own-model")).toBeVisible();
    await compare(page);
    await expect(page.getByTestId("conditions")).toContainText("drivers.onnx, 16 callers");
  },
);

test("Docs is in the masthead on every screen size, and no link leads to a place that is not public", async ({
  page,
  playground,
}) => {
  await page.goto(`${playground.url}/?moving=off`);
  const links = page.getByRole("navigation", { name: "About framebatch" });
  for (const width of [1440, 820, 390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    await expect(links.getByRole("link", { name: "Docs" }), `${width} px`).toBeInViewport();
    if (publication.isPublic) await expect(links.getByRole("link", { name: "GitHub" })).toBeInViewport();
  }
  const away = await page.locator('a[href^="http"]').evaluateAll((found) => found.map((link) => link.textContent));
  if (!publication.isPublic) expect(away).toEqual([]);
});

/** Runs in a world: notes how long after each change it clears its canvas for the next frame, in ms. */
function recordRests(): void {
  const { clearRect } = Object.getOwnPropertyDescriptors(OffscreenCanvasRenderingContext2D.prototype);
  const restsMs: number[] = [];
  let changeMs: number | null = null;
  addEventListener("message", ({ data }) => {
    if (data.type === "change") changeMs = performance.now();
  });
  OffscreenCanvasRenderingContext2D.prototype.clearRect = function (...area) {
    if (changeMs !== null) restsMs.push(performance.now() - changeMs);
    changeMs = null;
    clearRect.value?.apply(this, area);
  };
  Object.assign(globalThis, { restsMs });
}

/** Runs in a world: counts the changes of its canvas's width, and those after which the message leaves the canvas empty. */
function recordEmptied(): void {
  const width = Object.getOwnPropertyDescriptor(OffscreenCanvas.prototype, "width");
  const { clearRect } = Object.getOwnPropertyDescriptors(OffscreenCanvasRenderingContext2D.prototype);
  const counts = { resized: 0, emptied: 0 };
  let isEmpty = false;
  Object.defineProperty(OffscreenCanvas.prototype, "width", {
    ...width,
    set(pixels) {
      width?.set?.call(this, pixels);
      isEmpty = true;
    },
  });
  OffscreenCanvasRenderingContext2D.prototype.clearRect = function (...area) {
    isEmpty = false;
    clearRect.value?.apply(this, area);
  };
  // It is called after the world's own listener.
  addEventListener("message", ({ data }) => {
    if (data.type !== "change") return;
    counts.resized++;
    if (isEmpty) counts.emptied++;
  });
  for (const name of ["resized", "emptied"] as const) {
    Object.defineProperty(globalThis, name, { get: () => counts[name] });
  }
}

function worldsOf(page: Page): readonly Worker[] {
  return page.workers().filter((worker) => worker.url().includes("world-worker"));
}

/** Returns a figure of a side; `NaN` before the first one. */
async function figure(page: Page, name: string, lane: Lane): Promise<number> {
  const text = await page.getByTestId(`cars-${name}-${lane}`).textContent();
  return Number.parseFloat((text ?? "").replaceAll(",", ""));
}

/** Returns what a world looks like. */
async function picture(page: Page, lane: Lane): Promise<string> {
  return (await page.getByTestId(`cars-world-${lane}`).screenshot()).toString("base64");
}

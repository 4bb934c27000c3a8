import { expect, LONG, test } from "../support/test.js";

for (const { name, tag } of [
  { name: "React", tag: [] },
  { name: "Vue", tag: LONG },
  { name: "Svelte", tag: LONG },
]) {
  test(
    `the example with ${name} names the language of each line, and of what is typed`,
    { tag },
    async ({ page, examples }) => {
      await page.goto(`${examples.url}/`);
      await page.getByRole("link", { name }).click();
      await expect(page.getByRole("status")).toHaveText("German");
      const languages = ["English", "French", "German", "Spanish", "Italian", "Polish", "Russian", "Greek"];
      await expect(page.locator("li strong")).toHaveText([...languages, "Japanese"]);
      await page.getByLabel("Text").fill("C'est une phrase en français, tapée très vite.");
      await expect(page.getByRole("status")).toHaveText("French");
      await page.getByLabel("Text").fill("");
      await expect(page.getByRole("status")).toHaveText("");
    },
  );
}

test("the example without a bundler reads a drawn digit", { tag: LONG }, async ({ page, examples }) => {
  await page.goto(`${examples.url}/plain/`);
  // The button is disabled until the model is ready.
  await page.getByRole("button", { name: "Clear" }).click();
  const canvas = page.locator("canvas");
  await canvas.hover({ position: { x: 140, y: 50 } });
  await page.mouse.down();
  await canvas.hover({ position: { x: 140, y: 230 } });
  await page.mouse.up();
  await expect(page.locator("output")).toHaveText("1");
});

test("the example with a tokenizer ranks sentences", { tag: LONG }, async ({ page, examples }) => {
  await page.goto(`${examples.url}/text/`);
  const first = page.locator("#sentences li").first();
  await expect(first).toContainText("My cat");
  await page.getByLabel("Text").fill("soup with bread for tomorrow");
  await expect(first).toContainText("Soup with bread");
});

test("the example with a webcam reads its pictures", { tag: LONG }, async ({ page, examples }) => {
  await page.context().grantPermissions(["camera"]);
  await page.goto(`${examples.url}/webcam/`);
  await page.getByRole("button", { name: "Start the camera" }).click();
  await expect(page.locator("output")).toHaveText(/^\d \(\d+ %\)$/);
});

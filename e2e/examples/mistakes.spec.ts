import type { BrowserContext } from "@playwright/test";
import { expect, LONG, test } from "../support/test.js";

/** A page of the context. Unlike the fixture, it may have uncaught errors: those that it shows. */
async function failingPage(context: BrowserContext) {
  const page = await context.newPage();
  await page.route("**/*.onnx", (route) => route.fulfill({ status: 404 }));
  return page;
}

const NAMES = ["plain", "react", "vue", "svelte", "search", "photos", "widgets", "several", "streams", "listen"];

for (const name of [...NAMES, "text", "large"]) {
  test(`the example ${name} says that its model was not found`, { tag: LONG }, async ({ context, examples }) => {
    const page = await failingPage(context);
    await page.goto(`${examples.url}/${name}/`);
    await expect(page.locator("body")).toContainText(/expected a model at http.*, got the status 404/);
  });
}

test("a camera or microphone that is not allowed is said, and can be asked for again", async ({
  context,
  examples,
}) => {
  for (const name of ["webcam", "listen"]) {
    const page = await context.newPage();
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("Not allowed", "NotAllowedError"));
    });
    await page.goto(`${examples.url}/${name}/`);
    const button = page.getByRole("button");
    await button.click();
    await expect(page.getByRole("alert")).toHaveText("Not allowed");
    await expect(button).toBeEnabled();
    await expect(page.getByText("Microphone", { exact: true })).toHaveCount(0);
  }
});

test(
  "a camera or microphone does not stay on if what it is for fails",
  { tag: LONG },
  async ({ context, examples }) => {
    // The model of the webcam is not found. Of the two pipelines that listen, the second gets no microphone.
    for (const [name, page] of [
      ["webcam", await failingPage(context)],
      ["listen", await context.newPage()],
    ] as const) {
      await page.addInitScript(showFirstTrack);
      await page.goto(`${examples.url}/${name}/`);
      await page.getByRole("button").click();
      await expect(page.getByRole("alert")).not.toBeEmpty();
      await expect(page).toHaveTitle("ended");
      await expect(page.getByRole("button")).toBeEnabled();
    }
  },
);

/** Allows one camera or microphone, which stands in for a device. The title of the page says whether it is on. */
function showFirstTrack() {
  let asked = 0;
  navigator.mediaDevices.getUserMedia = ({ video } = {}) => {
    if (++asked > 1) return Promise.reject(new DOMException("Not allowed", "NotAllowedError"));
    const canvas = document.createElement("canvas");
    canvas.getContext("2d")?.fillRect(0, 0, 9, 9);
    const stream = video ? canvas.captureStream() : new AudioContext().createMediaStreamDestination().stream;
    for (const track of stream.getTracks()) {
      const stop = track.stop.bind(track);
      document.title = track.readyState;
      track.stop = () => {
        stop();
        document.title = track.readyState;
      };
    }
    return Promise.resolve(stream);
  };
}

test(
  "a text without words is like no sentence, and a long one like some",
  { tag: LONG },
  async ({ page, examples }) => {
    for (const [name, label, found] of [
      ["text", "Text", "#sentences li"],
      ["search", "Search", "#found li"],
    ] as const) {
      await page.goto(`${examples.url}/${name}/`);
      const field = page.getByLabel(label);
      if (name === "search") await expect(page.locator("#progress")).not.toHaveText(/^\d?$/);
      else await expect(page.locator(found)).toHaveCount(4);
      await field.fill("my cat");
      await expect(page.locator(found).first()).toBeVisible();
      await field.fill(" ");
      await expect(page.locator(found)).toHaveCount(0);
      await field.fill("cat ".repeat(1000));
      await expect(page.locator(found).first()).toBeVisible();
    }
  },
);

test(
  "the example without a bundler shows nothing of a drawing that was cleared",
  { tag: LONG },
  async ({ page, examples }) => {
    await page.goto(`${examples.url}/plain/`);
    await page.getByRole("button", { name: "Clear" }).click();
    const canvas = page.locator("canvas");
    const drag = async (from: number, to: number) => {
      await canvas.hover({ position: { x: 140, y: from }, force: true });
      await page.mouse.down();
      await canvas.hover({ position: { x: 140, y: to } });
    };
    await drag(50, 230);
    await page.mouse.up();
    await expect(page.locator("output")).toHaveText("1");
    // The move asks for an answer, and the click clears the canvas before it is there.
    await drag(50, 200);
    await page.evaluate(async () => {
      const button = document.querySelector("button");
      const move = { pointerId: 1, buttons: 1, clientX: 150, clientY: 220 };
      document.querySelector("canvas")?.dispatchEvent(new PointerEvent("pointermove", move));
      button?.click();
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    await page.mouse.up();
    await expect(page.locator("output")).toHaveText("…");
    // A drag that begins outside draws nothing, and no part of what was cleared.
    await page.locator("h1").hover();
    await page.mouse.down();
    await canvas.hover({ position: { x: 140, y: 10 } });
    await page.mouse.up();
    const ink = await canvas.evaluate((element: HTMLCanvasElement) =>
      element
        .getContext("2d")
        ?.getImageData(0, 0, 280, 280)
        .data.some((value) => value > 0),
    );
    expect(ink).toBe(false);
  },
);

test(
  "buttons without effect are disabled, and no load waits for the user",
  { tag: LONG },
  async ({ page, examples }) => {
    await page.addInitScript(() => {
      navigator.storage.persist = () => new Promise(() => {});
    });
    await page.goto(`${examples.url}/large/`);
    await expect(page.locator("#answer")).toHaveText(/numbers/);
    await expect(page.getByRole("button", { name: "Cancel" })).toBeDisabled();
    await page.goto(`${examples.url}/streams/`);
    await expect(page.locator("#steps")).toHaveText("400");
    await expect(page.getByRole("button", { name: "From the beginning" })).toBeDisabled();
  },
);

test("screen readers are not told what changes all the time", { tag: LONG }, async ({ page, examples }) => {
  await page.addInitScript(() => {
    const counts = new Map<Element, number>();
    const observer = new MutationObserver((records) => {
      for (const { target } of records) {
        const live = target instanceof Element ? target.closest("output, [role=status]") : null;
        if (live !== null && live.ariaLive !== "off") counts.set(live, (counts.get(live) ?? 0) + 1);
      }
    });
    observer.observe(document, { childList: true, subtree: true });
    Object.assign(window, { mostTold: () => Math.max(0, ...counts.values()) });
  });
  for (const [name, changing] of [
    ["search", "#progress"],
    ["photos", "#read"],
    ["widgets", "#rate"],
    ["streams", "#steps"],
  ] as const) {
    await page.goto(`${examples.url}/${name}/`);
    await expect.poll(async () => Number.parseInt(await page.locator(changing).innerText(), 10)).toBeGreaterThan(4);
    expect.soft(await page.evaluate("mostTold()"), name).toBeLessThan(5);
  }
});

import type { Page } from "@playwright/test";
import { serve } from "../../scripts/static-server.mjs";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";

/** The reply of a worker to a test: its results, or its error. */
type Told = Readonly<Record<string, unknown>>;

/** Returns the script of a worker of any kind. It replies to each message with the result of `act`. */
function script(sdk: string, act: string): string {
  return `import { createBatchedModel, batched } from ${JSON.stringify(sdk)};
    const made = [];
    /** Messages to model workers while the test holds them back: nothing is answered meanwhile. */
    let heldBack = null;
    if ("Worker" in self) {
      self.Worker = class extends Worker {
        constructor(...terms) {
          super(...terms);
          made.push(this);
        }
        postMessage(...terms) {
          heldBack === null ? super.postMessage(...terms) : heldBack.push(() => super.postMessage(...terms));
        }
      };
    }
    const whileSilent = async (act) => {
      heldBack = [];
      const result = await act();
      const messages = heldBack;
      heldBack = null;
      for (const send of messages) send();
      return { result, heldMessages: messages.length };
    };
    const failureOf = (promise) => promise.then(() => null, ({ name, code, message }) => ({ name, code, message }));
    const act = ${act};
    const tell = (port) => act().then((told) => port.postMessage(told), (error) => port.postMessage({ error: String(error) }));
    addEventListener("connect", ({ ports: [port] }) => tell(port));
    addEventListener("message", ({ source }) => tell(source ?? self));`;
}

const USE_MODEL = `async () => {
  const model = await createBatchedModel(new URL(${JSON.stringify(MODEL_PATHS["mlp-tiny"])}, location.origin), { executionProviders: ["wasm"] });
  const states = [];
  model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
  const item = () => new Float32Array(64).fill(1);
  const answer = async (options) => Array.from(Object.values(await model.predict(item(), options))[0].data).join();
  const first = await answer();
  const timed = await answer({ timeoutMs: 60_000 });
  const many = (await model.predictMany([item(), item(), item()])).length;
  const late = await whileSilent(() => failureOf(model.predict(item(), { timeoutMs: 300 })));
  for (const worker of made) worker.terminate();
  const recovered = await answer({ timeoutMs: 60_000 });
  await model.dispose();
  const disposed = await failureOf(model.predict(item()));
  return { isSame: first === timed && first === recovered, many, late: late.result?.code ?? null, wasHeld: late.heldMessages > 0, states, disposed: disposed?.code };
}`;

const REFUSE = `async () => {
  const double = batched(async (numbers) => numbers.map((number) => 2 * number));
  return { doubled: await double(4), ...(await failureOf(createBatchedModel("/models/mlp-tiny.onnx"))) };
}`;

test("defect 3: in a dedicated worker, a model predicts, times out requests, recovers and can be disposed", async ({
  harness,
  home,
}) => {
  const told = await harness.evaluate(
    (code) => {
      const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      const worker = new Worker(url, { type: "module" });
      return new Promise<Told>((resolve) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => resolve({ error: message });
        worker.postMessage("act");
      });
    },
    script(`${home.url}/sdk/framebatch.js`, USE_MODEL),
  );
  expect(told).toEqual({
    isSame: true,
    many: 3,
    late: "TIMED_OUT",
    wasHeld: true,
    states: ["recovering", "ready", "disposed"],
    disposed: "DISPOSED",
  });
  await expect.poll(() => harness.workers().length).toBe(1);
});

test("in a shared worker and a service worker, batched works and createBatchedModel rejects", async ({
  harness,
  elsewhere,
}) => {
  const code = script(`${elsewhere.url}/sdk/framebatch.js`, REFUSE);
  const refused = (place: string) => ({
    doubled: 8,
    name: "FramebatchError",
    code: "UNSUPPORTED",
    message: `expected a page or a dedicated worker of a browser with Web Workers, got ${place}; create the model there`,
  });
  expect(await askSharedWorker(harness, code)).toEqual(refused("a shared worker"));
  const site = await serveServiceWorker(code);
  await harness.goto(site.url);
  expect(await askServiceWorker(harness)).toEqual(refused("a service worker"));
  await site.close();
});

test("a service worker that does not answer keeps no test waiting that intercepts requests", async ({
  page,
  context,
}) => {
  let letGo: () => void = () => undefined;
  const site = await serveServiceWorker("importScripts('/held.js');", (answer) => (letGo = answer));
  await page.goto(site.url);
  await page.evaluate(() => void navigator.serviceWorker.register("/place.js").catch(() => undefined));
  await expect
    .poll(() => context.serviceWorkers().some((worker) => worker.url() === `${site.url}/place.js`))
    .toBe(true);
  await context.route("**/intercepted", (route) => route.fulfill({ body: "intercepted" }));
  expect(await page.evaluate(async () => (await fetch("/intercepted")).text())).toBe("intercepted");
  letGo();
  await site.close();
});

/** Serves an empty page, `/place.js`, and an empty `/held.js` as soon as `onHeld`'s argument is called. */
function serveServiceWorker(code: string, onHeld: (answer: () => void) => void = (answer) => answer()) {
  return serve({
    folders: {},
    intercept: ({ url }, response) => {
      response.setHeader("Content-Type", url?.endsWith(".js") === true ? "text/javascript" : "text/html");
      if (url === "/held.js") onHeld(() => void response.end());
      else response.end(url === "/place.js" ? code : "<!doctype html><title>A place</title>");
      return true;
    },
  });
}

function askSharedWorker(page: Page, code: string): Promise<Told> {
  return page.evaluate((body) => {
    const url = URL.createObjectURL(new Blob([body], { type: "text/javascript" }));
    const { port } = new SharedWorker(url, { type: "module" });
    return new Promise<Told>((resolve) => (port.onmessage = ({ data }) => resolve(data)));
  }, code);
}

function askServiceWorker(page: Page): Promise<Told> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.register("/place.js", { type: "module", scope: "/nowhere/" });
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    const told = new Promise<Told>((resolve) => {
      navigator.serviceWorker.addEventListener("message", ({ data }) => resolve(data));
      navigator.serviceWorker.startMessages();
    });
    worker?.postMessage("act");
    return told;
  });
}

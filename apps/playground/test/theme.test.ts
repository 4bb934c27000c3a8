import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ThemeChoice } from "../src/theme.js";

const KEY = "framebatch-theme";

/** What is stored, and how often it was written. */
let stored: Map<string, string>;
let writes: number;
let page: EventTarget;

beforeEach(() => {
  [stored, writes, page] = [new Map(), 0, new EventTarget()];
  const probe = { style: {}, remove: () => {} };
  vi.stubGlobal("document", {
    documentElement: { dataset: {} },
    body: { append: () => {} },
    createElement: () => probe,
  });
  vi.stubGlobal("getComputedStyle", () => ({ color: "rgb(1, 2, 3)" }));
  vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: false }));
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  const setItem = (key: string, value: string) => {
    writes++;
    stored.set(key, value);
  };
  vi.stubGlobal("localStorage", { setItem });
});

afterEach(() => vi.unstubAllGlobals());

/** What another tab has stored arrives here. */
function storeElsewhere(newValue: string | null, key = KEY): void {
  page.dispatchEvent(Object.assign(new Event("storage"), { key, newValue }));
}

it("a chosen theme is shown and kept", () => {
  const choice = new ThemeChoice();
  expect([choice.theme.value, choice.isDark.value, writes]).toEqual(["system", false, 0]);
  choice.choose("dark");
  expect([choice.isDark.value, document.documentElement.dataset["theme"], stored.get(KEY)]).toEqual([
    true,
    "dark",
    "dark",
  ]);
});

it("a theme that is chosen in another tab is shown here, and not stored again, so that tabs do not answer each other", () => {
  const choice = new ThemeChoice();
  storeElsewhere("dark");
  expect([choice.theme.value, document.documentElement.dataset["theme"], writes]).toEqual(["dark", "dark", 0]);
  storeElsewhere("dim");
  expect(choice.theme.value).toBe("system");
  storeElsewhere("light");
  storeElsewhere("dark", "another key");
  expect(choice.theme.value).toBe("light");
});

it("a choice without storage lasts until the page closes", () => {
  vi.stubGlobal("localStorage", undefined);
  const choice = new ThemeChoice();
  choice.choose("light");
  expect(choice.theme.value).toBe("light");
});

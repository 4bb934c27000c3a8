import { afterEach, expect, test, vi } from "vitest";
import { Settings } from "../src/settings.js";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Settings of a page with a query. Its address is that of no browser. */
function settingsOf(search: string): Settings {
  // The address is written later than a test lasts.
  vi.useFakeTimers();
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("location", { search, pathname: "/", hash: "" });
  return new Settings(search, false);
}

test("a limit of callers is never rounded up to a number that the slider of the scene offers", () => {
  const offered = (search: string, most: number) => settingsOf(search).callersUpTo(most);
  expect([offered("?scene=cars", 44), offered("?scene=cars", 32), offered("?scene=cars", 15)]).toEqual([32, 32, null]);
  expect([offered("?scene=streams", 7), offered("?scene=streams", 3)]).toEqual([4, null]);
  expect([offered("?scene=digits", 3), offered("?scene=digits", 0)]).toEqual([3, null]);
});

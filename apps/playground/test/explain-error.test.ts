import { FramebatchError, type ErrorCode } from "framebatch";
import { expect, test } from "vitest";
import { explainError } from "../src/shell/explain-error.js";

const CODES: readonly ErrorCode[] = [
  "MODEL_STATUS",
  "MODEL_NETWORK",
  "MODEL_OFFLINE",
  "MODEL_CORS",
  "MODEL_REDIRECT",
  "MODEL_TRUNCATED",
  "MODEL_HTML",
  "MODEL_INVALID",
];

test.each(CODES)("%s advises to choose a file only where that is possible", (code) => {
  const error = new FramebatchError(code, "details");
  expect(explainError(error, true).advice).toMatch(/choose|file/i);
  expect(explainError(error, false).advice).not.toMatch(/choose|file/i);
});

test("an unknown error keeps its details", () => {
  expect(explainError(new TypeError("x is null"), true).details).toBe("TypeError: x is null");
});

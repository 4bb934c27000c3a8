import { FramebatchError, type ErrorCode } from "framebatch";
import { expect, test } from "vitest";
import { explainError, missingWeights } from "../src/shell/explain-error.js";

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

test("a cause that the file itself can refute is a guess, and no part of the advice", () => {
  const { what, guess, advice } = explainError(new FramebatchError("MODEL_INVALID", "details"), true);
  expect(guess).toContain("operators");
  expect(`${what} ${advice}`).not.toMatch(/operator|damaged/);
});

test("an unknown error keeps its details", () => {
  expect(explainError(new TypeError("x is null"), true).details).toBe("TypeError: x is null");
});

test("a missing file of weights is named, with what to do", () => {
  const error = new FramebatchError(
    "UNSUPPORTED",
    'Deserialize tensor w0 failed.Failed to load external data file ""external.onnx.data"", error: Module.MountedFiles is not available.',
  );
  const { what, advice, isAboutFile } = explainError(error, true);
  expect(what).toContain("external.onnx.data");
  expect(advice).toContain("Add external.onnx.data");
  expect(isAboutFile).toBe(true);
  expect(missingWeights(error)).toBe("external.onnx.data");
  expect(missingWeights(new TypeError("x is null"))).toBeNull();
});

test.each([
  ["No Op registered for MyCustomOp with domain_version of 17", "MyCustomOp"],
  ["Error in Node:n : com.acme:Fancy(-1) is not a registered function/op", "com.acme:Fancy"],
])("an unknown operator is named, and no other backend is advised: %s", (message, operator) => {
  const { what, advice } = explainError(new FramebatchError("UNSUPPORTED", message), true);
  expect(what).toContain(operator);
  expect(`${what} ${advice}`).not.toMatch(/Auto|again/);
});

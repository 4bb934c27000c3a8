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
  const details = { externalData: "external.onnx.data" };
  const error = new FramebatchError("INVALID_OPTION", "externalData: expected a file, got none", { details });
  const { what, advice, isAboutFile } = explainError(error, true);
  expect(what).toContain("external.onnx.data");
  expect(advice).toContain("Add external.onnx.data");
  expect(isAboutFile).toBe(true);
  expect(missingWeights(error)).toBe("external.onnx.data");
  expect(missingWeights(new TypeError("x is null"))).toBeNull();
});

test("a file that is refused is explained in the words of the error, with what helps", () => {
  const message =
    'output "p": expected a tensor, got a sequence, map or optional; export the model with options={id(model): {"zipmap": False}}';
  const { what, guess, advice, isAboutFile } = explainError(new FramebatchError("MODEL_INVALID", message), true);
  expect(what).toBe('This model does not load: output "p": expected a tensor, got a sequence, map or optional.');
  expect(advice).toBe('To mend it: export the model with options={id(model): {"zipmap": False}}.');
  expect([guess, isAboutFile]).toEqual(["", true]);
});

test("no backend that is set already is advised", () => {
  const { advice } = explainError(new FramebatchError("UNSUPPORTED", "no such kernel"), true);
  expect(advice).toMatch(/^With another backend than Auto, /);
});

test.each([
  ["Could not find an implementation for Add(14) node with name ''", "Add"],
  ["No Op registered for MyCustomOp with domain_version of 17", "MyCustomOp"],
  ["Error in Node:n : com.acme:Fancy(-1) is not a registered function/op", "com.acme:Fancy"],
])("an unknown operator is named, and no other backend is advised: %s", (message, operator) => {
  const { what, advice } = explainError(new FramebatchError("UNSUPPORTED", message), true);
  expect(what).toContain(operator);
  expect(`${what} ${advice}`).not.toMatch(/Auto|again/);
});

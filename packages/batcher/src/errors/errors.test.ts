import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeError, encodeError } from "./error-data.js";
import { ERRORS } from "./error-codes.js";
import { FramebatchError } from "./errors.js";

describe("an error that crosses threads", () => {
  it("keeps its class, code, details and causes", () => {
    const cause = new TypeError("no number");
    const error = new FramebatchError("INVALID_INPUT", "expected 1, got 2", { cause, details: { index: 3 } });
    const decoded = decodeError(structuredClone(encodeError(error)));
    expect(decoded).toBeInstanceOf(FramebatchError);
    expect(decoded).toMatchObject({ code: "INVALID_INPUT", message: "expected 1, got 2", details: { index: 3 } });
    expect(decoded.cause).toMatchObject({ name: "TypeError", message: "no number" });
  });

  it("keeps the code of another copy of the class, as another entry point of the package has it", () => {
    class FramebatchErrorOfHandlers extends Error {
      override readonly name = "FramebatchError";
      readonly code = "INVALID_INPUT";
      readonly details = { width: 0 };
    }
    const decoded = decodeError(encodeError(new FramebatchErrorOfHandlers("empty")));
    expect(decoded).toBeInstanceOf(FramebatchError);
    expect(decoded).toMatchObject({ code: "INVALID_INPUT", details: { width: 0 } });
  });

  it("turns what is not an error into one", () => {
    expect(decodeError(encodeError("a text"))).toMatchObject({ name: "Error", message: "a text" });
  });

  // defect C3
  it("arrives whatever was thrown: an object without a text, or errors that cause each other", () => {
    expect(decodeError(encodeError(Object.create(null)))).toBeInstanceOf(Error);
    const first = new Error("first");
    first.cause = new Error("second", { cause: first });
    expect(decodeError(structuredClone(encodeError(first)))).toMatchObject({
      message: "first",
      cause: { message: "second", cause: { message: "first" } },
    });
  });
});

describe("the docstring of ErrorCode, which editors show for every code", () => {
  const source = readFileSync(new URL("./error-codes.ts", import.meta.url), "utf8");
  const [, list = ""] = /\/\*\*([^/]*?)@example[^/]*\*\/\nexport type ErrorCode/.exec(source) ?? [];

  it.each(Object.keys(ERRORS))("says of %s what the table of errors says first", (code) => {
    const [, ownText = ""] = new RegExp(`/\\*\\*([^/]*?)\\*/\\s*${code}: \\{`).exec(source) ?? [];
    const [first] = plain(ownText).split(/(?<=\.)\s/);
    expect(plain(list)).toContain(`- \`${code}\`: ${first}`);
  });
});

/** Removes the form of a comment: stars and line breaks. */
function plain(comment: string): string {
  return comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim();
}

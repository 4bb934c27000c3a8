import { describe, expect, it } from "vitest";
import { statusTraits } from "./http-status.js";

describe("statusTraits", () => {
  it.each([400, 406, 409, 413, 415, 418, 422, 431])("%d blames the items, and does not pass", (status) => {
    expect(statusTraits(status)).toEqual({ blames: "items", mayPass: false });
  });

  it.each([401, 402, 403, 404, 405, 407, 410, 421, 426, 451, 501, 505, 511])(
    "%d blames the server, and does not pass",
    (status) => expect(statusTraits(status)).toEqual({ blames: "server", mayPass: false }),
  );

  it.each([408, 425, 429, 502, 503, 504, 507, 520, 529])("%d blames the server, and may pass", (status) => {
    expect(statusTraits(status)).toEqual({ blames: "server", mayPass: true });
  });

  it("500 leaves open who is to blame, and may pass", () => {
    expect(statusTraits(500)).toEqual({ blames: "unclear", mayPass: true });
  });

  it.each([0, 101, 302, 304, 600, NaN])("%d, which is no error of HTTP, says nothing about the items", (status) => {
    expect(statusTraits(status)).toEqual({ blames: "server", mayPass: false });
  });
});

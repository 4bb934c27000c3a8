import { createServer, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { close, listen } from "../../test/support/local-server.js";
import { ALLOW_IN_POLICY, explainScript } from "./script-failure.js";

const FIX = "copy the file";

let server: Server;
let origin = "";

/** Answers each request with `answer`. */
async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  server.on("request", (_, response) => answer(response));
  origin = await listen(server);
  return `${origin}/worker.js`;
}

function onPageAt(pageOrigin: string, isIsolated = false): void {
  vi.stubGlobal("location", new URL(pageOrigin));
  vi.stubGlobal("self", { origin: pageOrigin });
  vi.stubGlobal("crossOriginIsolated", isIsolated);
}

beforeEach(() => {
  server = createServer();
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await close(server);
});

describe("a script that does not run", () => {
  it("is explained by a blob: address that was revoked, with which a lost worker starts again", async () => {
    onPageAt("https://page.example");
    const address = URL.createObjectURL(new Blob(["self"], { type: "text/javascript" }));
    URL.revokeObjectURL(address);
    expect(await explainScript(address, FIX)).toEqual({
      got: "an address that was revoked",
      fix: "revoke it after the last model that uses it was disposed of: a lost worker is started from it again",
    });
  });

  it("is explained by a page that was opened from a file, in which browsers start no worker", async () => {
    onPageAt("file:///page/index.html");
    expect(await explainScript("file:///page/worker.js", FIX)).toEqual({
      got: "the address of a file",
      fix: "serve it over HTTP",
    });
  });

  it("is explained by its status", async () => {
    const script = await serve((response) => response.writeHead(404).end());
    onPageAt(origin);
    expect(await explainScript(script, FIX)).toEqual({ got: "status 404", fix: FIX });
  });

  it("is explained by a web page in its place", async () => {
    const script = await serve((response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<p>"));
    onPageAt(origin);
    expect(await explainScript(script, FIX)).toEqual({ got: "a file of type text/html", fix: FIX });
  });

  it("is explained by the header that an isolated page needs, if that is missing", async () => {
    const script = await serve((response) => response.writeHead(200, { "Content-Type": "text/javascript" }).end());
    onPageAt(origin, true);
    expect((await explainScript(script, FIX)).got).toContain("without Cross-Origin-Embedder-Policy");
  });

  it("is explained by a policy if nothing is wrong with the file", async () => {
    const script = await serve((response) => response.writeHead(200, { "Content-Type": "text/javascript" }).end());
    onPageAt(origin);
    expect((await explainScript(script, FIX)).fix).toBe(ALLOW_IN_POLICY);
  });

  it.each([
    ["the page's own origin", true, "no response"],
    ["another origin", false, "no permission to read it (CORS)"],
  ])("is explained if %s does not answer", async (_, isOwn, got) => {
    const script = await serve((response) => response.destroy());
    onPageAt(isOwn ? origin : "https://example.com");
    expect(await explainScript(script, FIX)).toMatchObject({ got });
  });
});

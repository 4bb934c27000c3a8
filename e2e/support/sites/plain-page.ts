import type { ServerResponse } from "node:http";

/**
 * Serves `/plain-page?script=URL&kind=classic|module`: a page with one script tag and without a bundler. Both kinds set
 * `globalThis.framebatch`. Returns true if it handled the request.
 */
export function plainPage(url: URL, response: ServerResponse): boolean {
  if (url.pathname !== "/plain-page") return false;
  const script = url.searchParams.get("script") ?? "";
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(`<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <link rel="icon" href="data:,">
  <title>A plain page</title>
  ${url.searchParams.get("kind") === "module" ? moduleTag(script) : `<script src="${script}"></script>`}
</html>`);
  return true;
}

function moduleTag(script: string): string {
  return `<script type="module">
    import * as framebatch from "${script}";
    globalThis.framebatch = framebatch;
  </script>`;
}

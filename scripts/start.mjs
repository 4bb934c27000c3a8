import process from "node:process";
import { readArguments, wholeNumber } from "./arguments.mjs";
import { PLAYGROUND_SITE } from "./playground-site.mjs";
import { serve } from "./static-server.mjs";
import { ensureBuilt, ensureInstalled, main, Problem } from "./workspace.mjs";

const DEFAULT_PORT = 4173;
const PORTS_TO_TRY = 20;
const USAGE = `Usage: npm start [-- --port NUMBER]
  --port NUMBER   default: ${DEFAULT_PORT}, or the next free port`;

await main(async () => {
  const wanted = readArguments(USAGE, { options: { port: { type: "string" } } }, ({ values: { port } }) =>
    port === undefined ? undefined : wholeNumber("--port", port, { most: 65_535 }),
  );
  await ensureInstalled();
  await ensureBuilt();
  const { url } = await (wanted === undefined
    ? serveOnFreePort(PLAYGROUND_SITE)
    : serve({ ...PLAYGROUND_SITE, port: wanted }).catch(taken(wanted)));
  console.log(`\nThe playground runs at ${url}/, its documentation at ${url}/docs/ (press Ctrl+C to stop it)`);
});

/** @param {Parameters<typeof serve>[0]} site */
async function serveOnFreePort(site) {
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + PORTS_TO_TRY; port += 1) {
    try {
      return await serve({ ...site, port });
    } catch (error) {
      if (!inUse(error)) throw error;
    }
  }
  return serve(site);
}

/** @param {number} port */
function taken(port) {
  return (/** @type {unknown} */ error) => {
    if (inUse(error)) throw new Problem(`Port ${port} is in use. Omit --port to use the next free port.`);
    throw new Problem(`Port ${port} cannot be opened: ${messageOf(error)}`);
  };
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {unknown} error */
function inUse(error) {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

// This is how it is ended, so it has not failed: before what `main` does.
for (const signal of ["SIGINT", "SIGTERM"]) process.prependListener(signal, () => process.exit(0));

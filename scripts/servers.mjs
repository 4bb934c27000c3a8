// Runs remote models on real servers: KServe and MLServer from PyPI, each in a virtual environment in .servers.
import { readFileSync } from "node:fs";
import process from "node:process";
import { oneOf, readArguments } from "./arguments.mjs";
import { installPython } from "./python-environment.mjs";
import { contractOf } from "./servers/contract.mjs";
import { requirementsFileOf, SERVERS, startServer } from "./servers/python-server.mjs";
import { recordExchanges } from "./servers/record.mjs";
import { ensureBuilt, ensureInstalled, main, since } from "./workspace.mjs";

const USAGE = `Usage: npm run test:servers -- [options]
  --only NAME   one server: ${SERVERS.map(({ name }) => name).join(", ")}
  --record      writes the exchanges that the unit tests replay, and checks nothing`;

/** MLServer takes binary tensors over gRPC only. */
const TAKES_BINARY = ["kserve"];

await main(async () => {
  const { only, isRecording } = fromArguments();
  await ensureInstalled();
  await ensureBuilt();
  const chosen = SERVERS.filter(({ name }) => only === undefined || name === only);
  let [passed, failed] = [0, 0];
  for (const server of chosen) {
    await installPython(server.name, requirementsFileOf(server.name));
    const counts = await (isRecording ? record(server) : check(server));
    passed += counts.passed;
    failed += counts.failed;
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
});

function fromArguments() {
  const options = /** @type {const} */ ({ only: { type: "string" }, record: { type: "boolean", default: false } });
  const names = SERVERS.map(({ name }) => name);
  return readArguments(USAGE, { options }, ({ values: { only, record: isRecording } }) => ({
    only: only === undefined ? undefined : oneOf("--only", only, names),
    isRecording,
  }));
}

/** @param {import("./servers/python-server.mjs").Server} server */
async function check(server) {
  const started = await startServer(server);
  const counts = { passed: 0, failed: 0 };
  try {
    for (const [name, run] of Object.entries(await contractOf(TAKES_BINARY.includes(server.name)))) {
      const startedAtMs = performance.now();
      try {
        const found = await run(started);
        counts.passed += 1;
        console.log(`ok      ${server.name}: ${name} (${since(startedAtMs)}): ${found}`);
      } catch (error) {
        counts.failed += 1;
        console.log(`FAILED  ${server.name}: ${name} (${since(startedAtMs)})\n${String(error)}`);
      }
    }
  } finally {
    await started.kill();
  }
  return counts;
}

/** @param {import("./servers/python-server.mjs").Server} server */
async function record(server) {
  const started = await startServer(server);
  try {
    const [version = ""] = readFileSync(requirementsFileOf(server.name), "utf8").split("\n");
    const file = await recordExchanges(started.url, server.name, version, TAKES_BINARY.includes(server.name));
    console.log(`wrote ${file}`);
    return { passed: 1, failed: 0 };
  } finally {
    await started.kill();
  }
}

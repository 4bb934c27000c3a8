import { once } from "node:events";
import { createServer } from "node:net";
import { Problem } from "./workspace.mjs";

/** Returns a port that is free, as are probably those after it. @returns {Promise<number>} */
export async function freePort(host = "127.0.0.1") {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Problem("no port is free");
  return address.port;
}

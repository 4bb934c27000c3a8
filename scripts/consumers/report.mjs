/** @typedef {import("./rows.mjs").Row} Row */

const HEAD = ["Consumer", "Dev", "Build", "Configuration", "Emitted", "Largest file", "A visitor loads"];

/**
 * Returns the rows as a table in Markdown.
 *
 * @param {readonly Row[]} rows
 */
export function table(rows) {
  const lines = [HEAD, HEAD.map(() => "---"), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** @param {Row} row */
function cells({ title, dev, build, configuration, emittedBytes, largestBytes, loadedBytes }) {
  const loads = Object.entries(loadedBytes).map(([provider, bytes]) => `${megabytes(bytes)} (${provider})`);
  const sizes = [megabytes(emittedBytes), megabytes(largestBytes), loads.join(", ") || "–"];
  return [title, dev, build, configuration, ...sizes].map((cell) => cell.replaceAll("|", "\\|"));
}

/** @param {number | null} bytes */
function megabytes(bytes) {
  return bytes === null ? "–" : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {Row} row */
export function isPassed({ dev, build }) {
  return [dev, build].every((text) => text === "pass" || text === "–");
}

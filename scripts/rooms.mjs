// Generates what follows from rooms.json: the linter's rule for each room, and the drawing and the tables of
// docs/architecture.md.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fillPage, readCheck } from "./filled-page.mjs";
import { main, Problem, root } from "./workspace.mjs";

/**
 * @typedef {object} Room
 * @property {string} room Package, then folder of its `src`.
 * @property {string} holds
 * @property {readonly string[]} imports Rooms of the same package, and modules of others. No feature.
 * @property {Readonly<Record<string, string>>} [features] Rooms of features that it imports, and why each.
 */

/** @type {{ features: readonly string[], rooms: readonly Room[] }} */
const { features, rooms } = JSON.parse(readFileSync(path.join(root, "rooms.json"), "utf8"));
/** The two programs of the SDK. @type {Readonly<Record<string, string>>} */
const SIDES = { page: "the page", thread: "the worker" };
const RULES = path.join(root, ".oxlintrc.rooms.json");

await main(async () => {
  const how = readCheck("node scripts/rooms.mjs");
  checkFolders();
  checkFeatures();
  checkOrder();
  const rules = linterRules();
  if (!how.isCheck) writeFileSync(RULES, rules);
  else if (readFileSync(RULES, "utf8") !== rules)
    throw new Problem(`.oxlintrc.rooms.json is out of date. Run: ${how.remedy}`);
  await fillPage(
    "docs/architecture.md",
    { drawing: drawing(), rooms: tableOfRooms(), features: tableOfFeatures() },
    how,
  );
});

/** Fails if a folder with code is no room, so that no rule of the linter holds there, or if a room has no folder. */
function checkFolders() {
  for (const { room } of rooms) {
    if (!existsSync(path.join(root, folderOf(room))))
      throw new Problem(`rooms.json: ${folderOf(room)} does not exist. Remove its room, ${room}.`);
  }
  for (const room of foldersWithCode()) {
    if (rooms.some((other) => other.room === room)) continue;
    const feature =
      packageOf(room) === "framebatch" &&
      `; for a new feature, also "${inPackage(room).split("/", 1)[0]}" to "features"`;
    throw new Problem(
      `${folderOf(room)} is no room, so the linter lets it import anything. Add {"room": "${room}", "holds": "…", "imports": []} to "rooms" of rooms.json${feature || ""}. Then run: node scripts/rooms.mjs`,
    );
  }
}

/** @returns {Set<string>} the folders with code of all packages that have rooms, but for the entries of the SDK */
function foldersWithCode() {
  const packages = [...new Set(rooms.map(({ room }) => packageOf(room)))];
  const folders = packages.flatMap((name) =>
    readdirSync(path.join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => path.posix.join(name, path.dirname(file).replaceAll(path.sep, "/"))),
  );
  return new Set(folders.filter((folder) => folder !== "framebatch"));
}

/** Fails if a room imports a feature without a reason. A feature may import its own rooms. */
function checkFeatures() {
  for (const { room, imports } of rooms) {
    const found = imports.find((name) => featureOf(name) !== null && featureOf(name) !== featureOf(inPackage(room)));
    if (found !== undefined)
      throw new Problem(`rooms.json: ${room} imports the feature ${found}. Say why, under "features".`);
  }
}

/** Fails if rooms import each other in a circle. */
function checkOrder() {
  for (const { room } of rooms) {
    if (reachedFrom(room).has(room)) throw new Problem(`rooms.json: ${room} imports itself through other rooms.`);
  }
}

/** @param {string} room */
function inPackage(room) {
  return room.slice(room.indexOf("/") + 1);
}

/** @param {string} name a room without its package @returns {string | null} */
function featureOf(name) {
  return features.find((feature) => name === feature || name.startsWith(`${feature}/`)) ?? null;
}

/** @param {Room} room @returns {string[]} the rooms of the same package that it imports, with the package */
function ownImports({ room, imports, features: reasons = {} }) {
  const names = [...imports, ...Object.keys(reasons)].map((name) => `${packageOf(room)}/${name}`);
  return names.filter((name) => rooms.some((other) => other.room === name));
}

/** @param {string} room */
function packageOf(room) {
  return room.split("/", 1)[0] ?? room;
}

/** @param {string} room @returns {Set<string>} all rooms of its package that it imports, directly or through others */
function reachedFrom(room) {
  const found = new Set([room]);
  const reached = new Set();
  for (const from of found) {
    for (const to of ownImports(roomOf(from))) {
      found.add(to);
      reached.add(to);
    }
  }
  return reached;
}

/** @param {string} name @returns {Room} */
function roomOf(name) {
  const room = rooms.find((other) => other.room === name);
  if (room === undefined) throw new Problem(`rooms.json has no room ${name}.`);
  return room;
}

/** Returns the configuration of the linter: one line a room. */
function linterRules() {
  const lines = rooms.map((room) => {
    const message = `${room.room} may not import this. rooms.json lists what it may; docs/architecture.md says why.`;
    const rule = ["error", { patterns: [{ group: ["**", "!./*.js", ...allowed(room)], message }] }];
    return JSON.stringify({ files: [`${folderOf(room.room)}/*.ts`], rules: { "no-restricted-imports": rule } });
  });
  const tests = { files: ["packages/*/src/**/*.test.ts"], rules: { "no-restricted-imports": "off" } };
  const overrides = [...lines, JSON.stringify(tests)].map((line) => `    ${line}`).join(",\n");
  return `{\n  // Generated from rooms.json by scripts/rooms.mjs.\n  "overrides": [\n${overrides}\n  ]\n}\n`;
}

/** @param {string} room */
function folderOf(room) {
  const [name, ...folders] = room.split("/");
  return ["packages", name, "src", ...folders].join("/");
}

/** @param {Room} room @returns {string[]} patterns of the linter */
function allowed(room) {
  const own = ownImports(room);
  return [...room.imports, ...Object.keys(room.features ?? {})].map((name) => {
    const inside = `${packageOf(room.room)}/${name}`;
    if (!own.includes(inside)) return `!${name}`;
    const relative = path.posix.relative(folderOf(room.room), folderOf(inside));
    return `!${relative.startsWith(".") ? relative : `./${relative}`}/*.js`;
  });
}

/** Returns a diagram: an arrow for each import that does not follow from the others. */
function drawing() {
  const packages = [...new Set(rooms.map(({ room }) => packageOf(room)))].toReversed();
  const lines = packages.flatMap((name) => packageDrawing(name));
  return ["```mermaid", "flowchart TB", ...lines, ...packageArrows(packages), "```"].join("\n");
}

/** @param {string} name */
function packageDrawing(name) {
  const own = rooms.filter(({ room }) => packageOf(room) === name && room !== name);
  const nodes = [...Object.keys(SIDES), ""].flatMap((side) => {
    const members = own.filter(({ room }) => side === (name === "framebatch" ? sideOf(inPackage(room)) : ""));
    const drawn = members.map(({ room }) => `${idOf(room)}["${inPackage(room)}"]`);
    return side === "" || drawn.length === 0 ? drawn : [`subgraph ${side}["${SIDES[side]}"]`, ...drawn, "end"];
  });
  return [`subgraph ${name}`, ...nodes, ...own.flatMap((room) => arrowsFrom(room)), "end"];
}

/** @param {string} name @returns {string} which program a room of the SDK is in */
function sideOf(name) {
  if (name.startsWith("client/") || name.endsWith("/page")) return "page";
  if (/^worker($|\/)|\/worker$/.test(name)) return "thread";
  return "";
}

/** @param {Room} room */
function arrowsFrom(room) {
  const own = ownImports(room);
  const direct = own.filter((to) => !own.some((other) => other !== to && reachedFrom(other).has(to)));
  return direct.length === 0 ? [] : [`${idOf(room.room)} --> ${direct.map((to) => idOf(to)).join(" & ")}`];
}

/** @param {string} room */
function idOf(room) {
  return room.replaceAll(/[/-]/g, "_");
}

/** @param {readonly string[]} packages */
function packageArrows(packages) {
  const imported = new Map(packages.map((name) => [name, importedBy(name)]));
  return packages.flatMap((name) => {
    const own = imported.get(name) ?? [];
    const direct = own.filter((to) => !own.some((other) => imported.get(other)?.includes(to)));
    return direct.length === 0 ? [] : [`${name} --> ${direct.join(" & ")}`];
  });
}

/** @param {string} name @returns {string[]} the packages that a package imports */
function importedBy(name) {
  const own = rooms.filter(({ room }) => packageOf(room) === name);
  const found = own.flatMap(({ imports }) => imports.map((entry) => /^@framebatch\/([a-z]+)/.exec(entry)?.[1] ?? ""));
  return [...new Set(found)].filter((other) => other !== "");
}

function tableOfRooms() {
  return table(
    ["Room", "Content"],
    rooms.map(({ room, holds }) => [`\`${shortOf(room)}\``, holds]),
  );
}

/** Returns the name of a room in the documentation: rooms of the SDK have no package in front of them. @param {string} room */
function shortOf(room) {
  return room.startsWith("framebatch/") ? inPackage(room) : room;
}

function tableOfFeatures() {
  const lines = rooms.flatMap(({ room, features: reasons = {} }) =>
    Object.entries(reasons).map(([feature, why]) => [`\`${shortOf(room)}\``, `\`${feature}\``, why]),
  );
  return table(["Room", "Feature", "Why"], lines);
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} lines */
function table(head, lines) {
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

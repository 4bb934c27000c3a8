// Reads the arguments of a command, before the command does anything.
import { existsSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { Problem } from "./workspace.mjs";

/**
 * Returns what `read` makes of the arguments. A wrong argument throws a `Problem` that ends with the usage. With `--help`,
 * prints the usage and ends the process.
 *
 * @template {import("node:util").ParseArgsConfig} Config
 * @template Wanted
 * @param {string} usage
 * @param {Config} config without `options`, the command has none
 * @param {(parsed: ReturnType<typeof parseArgs<Config>>) => Wanted} read throws a `Problem` for a wrong value
 * @param {readonly string[]} args
 * @returns {Wanted}
 */
export function readArguments(usage, config, read, args = process.argv.slice(2)) {
  if (args.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return read(parseArgs({ ...config, args: [...args] }));
  } catch (error) {
    if (!(error instanceof Problem) && !isOfParseArgs(error)) throw error;
    throw new Problem(`${error.message.replaceAll("\n", " ")}\n\n${usage}`);
  }
}

/** @param {unknown} error @returns {error is Error} */
function isOfParseArgs(error) {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");
}

/**
 * @param {string} option with its dashes
 * @param {string} text
 * @param {{ least?: number, most?: number }} [range]
 */
export function wholeNumber(option, text, { least = 1, most = Number.MAX_SAFE_INTEGER } = {}) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  throw new Problem(`${option}: expected a whole number, ${range}, got "${text}".`);
}

/**
 * Returns a number above 0, which may have decimals.
 *
 * @param {string} option
 * @param {string} text
 */
export function positiveNumber(option, text) {
  const number = Number(text);
  if (number > 0 && number < Infinity) return number;
  throw new Problem(`${option}: expected a number above 0, got "${text}".`);
}

/**
 * @param {string} option
 * @param {string} text
 * @param {readonly string[]} names
 */
export function oneOf(option, text, names) {
  if (names.includes(text)) return text;
  throw new Problem(`${option}: expected one of ${names.join(", ")}, got "${text}".`);
}

/**
 * Returns the path of something that exists.
 *
 * @param {string} option
 * @param {string} file
 */
export function existing(option, file) {
  if (existsSync(file)) return file;
  throw new Problem(`${option}: expected a file or folder that exists, got "${file}".`);
}

/**
 * Splits `NAME=FOLDER`, which names a build.
 *
 * @param {string} option
 * @param {string} text
 */
export function namedFolder(option, text) {
  const [, name, folder] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
  if (name !== undefined && folder !== undefined) return { name, folder };
  throw new Problem(`${option}: expected NAME=FOLDER, got "${text}".`);
}

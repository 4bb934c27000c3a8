import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { interfaceName, isInterfaceName, modelInterface } from "../dist/command.mjs";
import { messageOf, Mistake } from "./mistake.mjs";

export const TYPES_USAGE = `Usage: npx framebatch types <model.onnx> [--out <file.ts>] [--name <Name>] [--recurrent <input>=<output>]
  [--outputs <name>]
Writes an interface with the names and arrays of the model's inputs and outputs, for createBatchedModel<Name>(...).
Without --out, it prints it. Without --name, the interface is named after the file. --recurrent, once for each state, leaves
the state out, as the option recurrent does. --outputs, once for each, keeps only these outputs, as the option outputs does.`;

/** A message of protobuf, and so an ONNX file, is never larger. */
const MAX_BYTES = 2 ** 31;

/**
 * Writes the interface of a model.
 *
 * @param {readonly string[]} args
 */
export function types(args) {
  const { model, out, name, recurrent, outputs } = optionsOf(args);
  const file = basename(model);
  const { code, unknownBatch } = interfaceOf(readModel(model), file, name ?? interfaceName(file), recurrent, outputs);
  if (unknownBatch !== null) console.error(`framebatch: ${unknownBatch}`);
  if (out === undefined) process.stdout.write(code);
  else write(out, code);
}

/** @param {readonly string[]} args */
function optionsOf(args) {
  const { values, positionals } = parsed(args);
  const [model, ...others] = positionals;
  if (model === undefined || others.length > 0) throw new Mistake(TYPES_USAGE);
  const { out, name, recurrent = [], outputs } = values;
  if (name !== undefined && !isInterfaceName(name))
    throw new Mistake(
      `--name: expected a name that begins with a capital letter and is not that of an array, got "${name}"; write --name Digits`,
    );
  if (out !== undefined && !out.endsWith(".ts"))
    throw new Mistake(`--out: expected a file that ends with .ts, got "${out}"; write --out digits.ts`);
  return { model, out, name, recurrent: Object.fromEntries(recurrent.map(stateOf)), outputs };
}

/** @param {string} text @returns {[string, string]} */
function stateOf(text) {
  const [input, output, ...others] = text.split("=");
  if (!input || !output || others.length > 0)
    throw new Mistake(`--recurrent: expected <input>=<output>, got "${text}"; write --recurrent state=stateN`);
  return [input, output];
}

/** @param {readonly string[]} args */
function parsed(args) {
  try {
    const options = /** @type {const} */ ({
      out: { type: "string" },
      name: { type: "string" },
      recurrent: { type: "string", multiple: true },
      outputs: { type: "string", multiple: true },
    });
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Mistake(`${messageOf(error)}\n\n${TYPES_USAGE}`);
  }
}

/** @param {string} path */
function readModel(path) {
  try {
    const { size } = statSync(path);
    if (size > MAX_BYTES) throw tooLarge(path, size);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Mistake) throw error;
    throw new Mistake(
      `${path}: expected a file that can be read; give the path of an .onnx file (${messageOf(error)})`,
    );
  }
}

/**
 * @param {string} path
 * @param {number} size in bytes
 */
function tooLarge(path, size) {
  const fix = "give the path of the .onnx file, not that of its weights";
  return new Mistake(`${path}: expected an ONNX model, which has at most ${MAX_BYTES} bytes, got ${size}; ${fix}`);
}

/**
 * @param {Uint8Array} model
 * @param {string} file
 * @param {string} name
 * @param {Readonly<Record<string, string>>} recurrent
 * @param {readonly string[] | undefined} outputs
 */
function interfaceOf(model, file, name, recurrent, outputs) {
  try {
    return modelInterface(model, file, name, recurrent, outputs);
  } catch (error) {
    throw new Mistake(messageOf(error));
  }
}

/**
 * @param {string} path
 * @param {string} code
 */
function write(path, code) {
  try {
    writeFileSync(path, code);
  } catch (error) {
    throw new Mistake(`--out: expected a file that can be written, got "${path}" (${messageOf(error)})`);
  }
}

#!/usr/bin/env node
// The command of the package. Usage: npx framebatch copy <folder> [wasm]; npx framebatch sample <folder>; npx framebatch
// types <model.onnx>
import process from "node:process";
import { copy, COPY_USAGE } from "./copy.mjs";
import { sample, SAMPLE_USAGE } from "./sample.mjs";
import { types, TYPES_USAGE } from "./types.mjs";
import { Mistake } from "./mistake.mjs";

/** @type {Readonly<Record<string, (args: readonly string[]) => void>>} */
const COMMANDS = { copy, sample, types };

const USAGE = [COPY_USAGE, SAMPLE_USAGE, TYPES_USAGE].join("\n\n");

const [command = "", ...args] = process.argv.slice(2);
const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
try {
  if ([command, ...args].some((arg) => arg === "--help" || arg === "-h")) console.log(USAGE);
  else if (run === undefined) throw new Mistake(USAGE);
  else run(args);
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

import { copyAll } from "./copy.mjs";
import { Mistake } from "./mistake.mjs";

export const SAMPLE_USAGE = `Usage: npx framebatch sample <folder>
Copies digits.onnx (0.25 MB), which reads handwritten digits, into a folder of your site: a model to begin with.`;

/**
 * Copies the model of the README's first program.
 *
 * @param {readonly string[]} args
 */
export function sample([folder, ...others]) {
  if (folder === undefined || folder === "" || folder.startsWith("-") || others.length > 0)
    throw new Mistake(SAMPLE_USAGE);
  copyAll(["digits.onnx"], folder);
  console.log(
    `framebatch: copied digits.onnx to ${folder}. It takes image float32 [1, 28, 28], from 0 (paper) to 1 (ink).`,
  );
}

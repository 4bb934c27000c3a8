import { untrainedDrivers } from "../drivers/driver.mjs";
import { translatorModels } from "../translator/translator.mjs";
import { attentionModels } from "./attention.mjs";
import { audioModels } from "./audio.mjs";
import { axisModels } from "./axes.mjs";
import { cnnModels } from "./cnn.mjs";
import { decoderModels, largeDecoderModels } from "./decoders.mjs";
import { elementTypeModels } from "./element-types.mjs";
import { fixedModels } from "./fixed.mjs";
import { misbehavingModels } from "./misbehaving.mjs";
import { mixingModels } from "./mixing.mjs";
import { mlpModels } from "./mlp.mjs";
import { separateModels } from "./separate.mjs";
import { sequenceModels } from "./sequences.mjs";
import { textEncoderModels } from "./text-encoder.mjs";
import { wholeModels } from "./whole.mjs";
import { windowModels } from "./windows.mjs";

const generators = new Map(
  [
    mlpModels,
    cnnModels,
    textEncoderModels,
    untrainedDrivers,
    elementTypeModels,
    axisModels,
    fixedModels,
    misbehavingModels,
    mixingModels,
    separateModels,
    sequenceModels,
    audioModels,
    windowModels,
    wholeModels,
    attentionModels,
    decoderModels,
    translatorModels,
  ].flatMap(Object.entries),
);

export const modelNames = Object.freeze([...generators.keys()]);

const large = new Map(Object.entries(largeDecoderModels));

/** @param {string} name */
export function generateModel(name) {
  const generate = generators.get(name) ?? large.get(name);
  if (generate === undefined) {
    throw new TypeError(
      `expected the name of a generated model, got "${name}"; the names are ${modelNames.join(", ")}`,
    );
  }
  return generate(name);
}

export function generateModels() {
  return modelNames.map(generateModel);
}

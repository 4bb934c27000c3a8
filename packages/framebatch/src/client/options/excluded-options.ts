import { optionError } from "@framebatch/batcher/errors/option-errors.js";

/** Why a model with an option does not have another one. */
const EXCLUDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  recurrent: {
    dedupe: "steps of different sequences give other results for equal items",
    resultCacheSize: "a step gives other results for an equal item",
    remote: "the states are in the worker",
    shared: "the states are in a worker of this page",
    instances: "the states of a sequence are in one worker",
  },
  generate: {
    recurrent: "the caches of a text are its state",
    remote: "the caches are in the worker",
    shared: "the caches are in a worker of this page",
    instances: "the texts that share steps are in one worker",
    outputs: "the caches are outputs",
    samples: "prompts are generated for the trial",
    shapeOf: "prompts have no shape",
  },
  shared: {
    instances: "all tabs have one session",
  },
};

/** Checks that no option contradicts those that `EXCLUDED` names. @throws INVALID_OPTION */
export function checkExclusions(options: object): void {
  for (const [option, excluded] of Object.entries(EXCLUDED)) {
    const set: unknown = Reflect.get(options, option);
    if (set === undefined || set === false) continue;
    for (const [name, reason] of Object.entries(excluded)) {
      const value: unknown = Reflect.get(options, name);
      if (value === undefined || value === false || value === 0 || (name === "instances" && value === 1)) continue;
      throw optionError(name, `no value, because ${option} is set: ${reason}`, value, "leave one of them out");
    }
  }
}

import type { Scenario } from "./scenario.js";

/** Returns a scenario as it is written in a file of `found`. */
export function printScenario(scenario: Scenario, what: string): string {
  const { steps, faults, subjects, ...numbers } = scenario;
  const lines = (list: readonly unknown[]) => list.map((one) => `        ${literal(one)},`).join("\n");
  return [
    `  {`,
    `    what: ${JSON.stringify(what)},`,
    `    scenario: {`,
    ...Object.entries(numbers).map(([key, value]) => `      ${key}: ${literal(value)},`),
    `      subjects: [\n${lines(subjects)}\n      ],`,
    `      steps: [\n${lines(steps)}\n      ],`,
    `      faults: [${faults.map(literal).join(", ")}],`,
    `    },`,
    `  },`,
  ].join("\n");
}

function literal(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=[\w{["])/g, ", ");
}

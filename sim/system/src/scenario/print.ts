import type { Scenario } from "./scenario.js";

/** Returns a scenario as a test that can be pasted into `test/found.test.ts`. */
export function printScenario(scenario: Scenario, name: string, rule: string): string {
  const { steps, faults, subjects, ...numbers } = scenario;
  const lines = (list: readonly unknown[]) => list.map((one) => `      ${literal(one)},`).join("\n");
  return [
    `test("${name}: ${rule}", async () => {`,
    `  const scenario: Scenario = {`,
    ...Object.entries(numbers).map(([key, value]) => `    ${key}: ${literal(value)},`),
    `    subjects: [\n${lines(subjects)}\n    ],`,
    `    steps: [\n${lines(steps)}\n    ],`,
    `    faults: [${faults.map(literal).join(", ")}],`,
    `  };`,
    `  expect((await examine(scenario, threads)).violations).toEqual([]);`,
    `});`,
  ].join("\n");
}

function literal(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=[\w{["])/g, ", ");
}

// Runs a measurement, with the arguments that follow its name. Without a name, lists them.
import process from "node:process";
import { MEASURES } from "./measures.mjs";
import { main, Problem } from "./workspace.mjs";

const WIDTH = Math.max(...MEASURES.map(({ name }) => name.length));
const USAGE = `Usage: npm run measure NAME [-- options]
${MEASURES.map(({ name, answers, takes }) => `  ${name.padEnd(WIDTH)}  ${answers} (${takes})`).join("\n")}
With -- --help, each prints its options.`;

await main(async () => {
  const [wanted, ...options] = process.argv.slice(2);
  if (wanted === undefined || wanted === "--help") {
    console.log(USAGE);
    return;
  }
  const measure = MEASURES.find(({ name }) => name === wanted);
  if (measure === undefined) throw new Problem(`No measurement is named "${wanted}".\n\n${USAGE}`);
  // The file reads its arguments as if it had been started itself.
  process.argv.splice(2, Infinity, ...options);
  await import(`./${measure.file}`);
});

/**
 * What `npm run measure NAME` runs: a file in this folder. `takes` holds on two cores that have nothing else to do.
 *
 * @type {readonly { name: string, file: string, answers: string, takes: string }[]}
 */
export const MEASURES = [
  // In a browser.
  {
    name: "bench",
    file: "bench.mjs",
    answers: "how fast framebatch is beside other ways of a page to run a model",
    takes: "5 minutes",
  },
  {
    name: "verdicts",
    file: "verdicts.mjs",
    answers: "whether the playground says of batching what the benchmark measures",
    takes: "15 minutes",
  },
  {
    name: "vitals",
    file: "vitals.mjs",
    answers: "first paint, layout shifts, long tasks and bytes of each page of the site",
    takes: "some minutes",
  },
  {
    name: "large",
    file: "large-models.mjs",
    answers: "how much memory and time a model with large external weights takes to load",
    takes: "some minutes",
  },
  {
    name: "first-answer",
    file: "first-answer.mjs",
    answers: "how soon a new visitor with a slow network has the first answer",
    takes: "some minutes",
  },
  {
    name: "links",
    file: "links.mjs",
    answers: "what a link between two models of a group saves, and what it leaves behind",
    takes: "some minutes",
  },
  {
    name: "cars",
    file: "cars.mjs",
    answers: "how many cars the playground drives, with batching and without",
    takes: "2 minutes",
  },
  {
    name: "page-costs",
    file: "page-costs.mjs",
    answers: "how much a page works besides inference, as input of the simulator",
    takes: "some minutes",
  },
  {
    name: "soak",
    file: "soak.mjs",
    answers: "whether framebatch keeps each promise while every known fault happens",
    takes: "10 minutes",
  },
  {
    name: "soak:tabs",
    file: "shared-soak.mjs",
    answers: "whether tabs that share a worker get every answer while tabs and workers end",
    takes: "some minutes",
  },
  {
    name: "fuzz:models",
    file: "fuzz-models.mjs",
    answers: "whether each damaged model ends in a typed error or in a model",
    takes: "some minutes",
  },
  {
    name: "fuzz:inputs",
    file: "fuzz-inputs.mjs",
    answers: "whether arbitrary items and options affect a valid item",
    takes: "some minutes",
  },
  // In Node.
  {
    name: "sim",
    file: "sim.mjs",
    answers: "how policies of scheduling compare on a virtual clock",
    takes: "some minutes",
  },
  {
    name: "sim:system",
    file: "system-sim.mjs",
    answers: "whether both halves of framebatch keep their promises under random faults",
    takes: "half a minute",
  },
  {
    name: "peers",
    file: "peers.mjs",
    answers: "whether batchers from PyPI do what the simulator's baselines of their names do",
    takes: "some minutes",
  },
  {
    name: "ablations",
    file: "ablations.mjs",
    answers: "what the scheduler loses without each of its mechanisms",
    takes: "some minutes",
  },
];

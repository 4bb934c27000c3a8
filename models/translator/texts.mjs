export { promptOf, STOP, wordOf } from "./dictionary.mjs";
export { makeSentences } from "./sentences.mjs";

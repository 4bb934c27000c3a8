import { makeSentences } from "@framebatch/models/translator";

const COUNT = 200;
const SEED = 3;

/** The sentences of the page, in English. */
export const SENTENCES: readonly string[] = makeSentences(COUNT, SEED);

import { createReference } from "../../fixtures/reference.js";
import { rowFrom, type RightAnswers, type RightAnswersRequest } from "./right-answers-protocol.js";
import { ITEM_MAKERS } from "./soak-items.js";

addEventListener("message", ({ data }: MessageEvent<RightAnswersRequest>) => {
  answer(data).then(
    (answers) => postMessage(answers),
    (error: unknown) => postMessage(String(error)),
  );
});

async function answer({ model, url, provider, count }: RightAnswersRequest): Promise<RightAnswers> {
  const reference = await createReference(url, provider);
  const all = await reference.runAll(Array.from({ length: count }, (_, index) => ITEM_MAKERS[model](index)));
  return all.map((outputs) => rowFrom(outputs) ?? new Float32Array());
}

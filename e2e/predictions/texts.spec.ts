import { expect, LONG, SLOW_ON_GPU, test } from "../support/test.js";

/** What a page does in each test: the model, the side of the padding that it tolerates, and where it is. The unit tests do the same without a worker, so most are tagged @long. */
const CASES: readonly (readonly [
  model: string,
  sharing: string,
  place: { readonly isLong?: true; readonly isGrouped?: true; readonly hasRule?: true },
])[] = [
  ["decoder-learned", "left", { isLong: true }],
  ["decoder-rotary", "left", { isGrouped: true, hasRule: true }],
  ["decoder-rotary", "left", { isLong: true }],
  ["decoder-rotary", "left", { isLong: true, hasRule: true }],
  ["decoder-alibi", "left", { isLong: true }],
  ["decoder-gqa", "right", { isLong: true }],
  ["decoder-counting", "equal", { isLong: true }],
];

const TITLE =
  "texts of a decoder share steps whatever length their encoder has kept for them, and are those of each alone";

test(TITLE, { tag: SLOW_ON_GPU }, async ({ harness, provider }) => {
  const [encoder, decoder] = ["/models/encoder-states.onnx", "/models/decoder-merged.onnx"];
  const request = { encoder, decoder, provider, texts: 20, maxNewTokens: 12 };
  const { together, alone, generation, refused } = await harness.evaluate(
    (given) => window.harness.translate(given),
    request,
  );
  expect(together).toEqual(alone);
  expect(new Set(together.map(String)).size).toBeGreaterThan(5);
  expect(generation).toMatchObject({ sharing: "equal", running: 0, waiting: 0 });
  expect(generation.batchSize).toBeGreaterThan(1);
  expect(refused).toBe("INVALID_INPUT");
});

for (const [model, sharing, { isLong = false, isGrouped = false, hasRule = false }] of CASES) {
  const place = `${isGrouped ? " in a group" : ""}${hasRule ? " with a choice of its own" : ""}`;
  const title = `${model}${place}: texts of random lengths that come, end and are aborted, through a lost worker, are those of ONNX Runtime alone`;
  test(title, { tag: isLong ? LONG : SLOW_ON_GPU }, async ({ harness, provider }) => {
    const request = {
      url: `/models/${model}.onnx`,
      provider,
      texts: 40,
      maxNewTokens: 40,
      seed: 7,
      isGrouped,
      hasRule,
    };
    const texts = await harness.evaluateHandle((given) => window.harness.beginTexts(given), request);
    await texts.evaluate((all) => all.said(150));
    await harness
      .workers()
      .at(-1)
      ?.evaluate(() => void setTimeout(() => self.close()));
    const tally = await texts.evaluate((all) => all.tally);
    expect(tally).toMatchObject({ wrong: 0, failures: [], generation: { sharing, running: 0, waiting: 0 } });
    expect(tally.whole).toBeGreaterThan(25);
    expect(tally.aborted).toBeGreaterThan(4);
    expect(tally.compared).toBeGreaterThan(400);
    if (sharing !== "equal") expect(tally.generation.batchSize).toBeGreaterThan(1);
  });
}

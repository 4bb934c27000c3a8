import { openStreams } from "../support/pages/streams.js";
import { expect, LONG, test } from "../support/test.js";

const MODEL = "/models/mixing-mel-spectrogram.onnx";

/** Each load sends the four streams several times, before and after the outcome of the check is known. */
async function expectEqualStreams(harness: Parameters<typeof openStreams>[0], loads: number) {
  for (const load of await openStreams(harness, { url: MODEL, provider: "wasm", loads, verify: true })) {
    expect(load).toMatchObject({ largest: 0, outcome: "failed", isSingle: true });
  }
}

// users.md, bug 1
test("four streams through a spectrogram over the batch get what one stream gets alone, in 3 of 3 loads", async ({
  harness,
}) => {
  await expectEqualStreams(harness, 3);
});

test(
  "four streams through a spectrogram over the batch get what one stream gets alone, in 20 of 20 loads",
  { tag: LONG },
  async ({ harness }) => {
    await expectEqualStreams(harness, 20);
  },
);

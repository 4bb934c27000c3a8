import { openStreams } from "../support/pages/streams.js";
import { expect, LONG, test } from "../support/test.js";

const MODEL = "/models/mixing-mel-spectrogram.onnx";

// users.md, bug 1. Tagged @long: a unit test does the same without a page.
test(
  "four streams through a spectrogram over the batch get what one stream gets alone, in 20 of 20 loads",
  { tag: LONG },
  async ({ harness }) => {
    // Each load sends the four streams several times, before and after the outcome of the check is known.
    for (const load of await openStreams(harness, { url: MODEL, provider: "wasm", loads: 20, verify: true })) {
      expect(load).toMatchObject({ largest: 0, outcome: "failed", isSingle: true });
    }
  },
);

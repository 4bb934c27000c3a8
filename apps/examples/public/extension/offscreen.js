// All pages of the extension ask this one, so their requests share batches.
const model = open();

/** The file is part of the extension, so it is passed as bytes: there is nothing to download or to cache. */
async function open() {
  const file = await fetch("models/digits.onnx");
  return framebatch.createBatchedModel(await file.arrayBuffer());
}

chrome.runtime.onMessage.addListener(({ type, image }, _sender, respond) => {
  if (type !== "predict") return false;
  void answer(image).then(respond);
  return true; // the answer comes later
});

async function answer(image) {
  try {
    const { logits } = await model.then((opened) => opened.predict({ image }));
    return { logits: [...logits.data] }; // messages of extensions carry JSON: no typed arrays
  } catch (error) {
    return { error: error.message };
  }
}

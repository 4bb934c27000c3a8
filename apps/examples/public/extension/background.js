// A service worker can start no worker, and ends when it is idle. So one hidden page holds the model.
let opening = null;

async function open() {
  if (await chrome.offscreen.hasDocument()) return;
  opening ??= chrome.offscreen.createDocument({
    url: "offscreen.html",
    reasons: ["WORKERS"],
    justification: "Runs an ONNX model in a worker",
  });
  await opening;
  opening = null;
}

chrome.runtime.onMessage.addListener(({ type }, _sender, respond) => {
  if (type !== "open") return false;
  void open().then(respond);
  return true; // the answer comes later
});

// A service worker can start no worker, and ends when it is idle. So one hidden page holds the model.
let opening = null;

/** Who asks while the page opens waits for the same page. If it cannot open, the next one tries again. */
function open() {
  opening ??= openPage().finally(() => (opening = null));
  return opening;
}

async function openPage() {
  if (await chrome.offscreen.hasDocument()) return;
  await chrome.offscreen.createDocument({
    url: "offscreen.html",
    reasons: ["WORKERS"],
    justification: "Runs an ONNX model in a worker",
  });
}

chrome.runtime.onMessage.addListener(({ type }, _sender, respond) => {
  if (type !== "open") return false;
  open().then(
    () => respond({}),
    (error) => respond({ error: error.message }),
  );
  return true; // the answer comes later
});

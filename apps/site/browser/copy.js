/** Puts a button on each block of code that copies it. */
export function offerCopies() {
  for (const block of document.querySelectorAll("article pre")) {
    const frame = document.createElement("div");
    frame.className = "code";
    block.replaceWith(frame);
    frame.append(block, copyButton(block.textContent ?? ""));
  }
}

/** @param {string} code */
function copyButton(code) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", () => {
    const say = (/** @type {string} */ text) => () => void (button.textContent = text);
    navigator.clipboard.writeText(code).then(say("Copied"), say("Not allowed"));
  });
  return button;
}

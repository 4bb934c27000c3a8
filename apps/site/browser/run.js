/** Lets the reader run the first program of the page, where there is one, and shows what it logs. */
export function offerRun() {
  const block = document.querySelector("article[data-run] .code:has(> pre.runs)");
  if (!(block instanceof HTMLElement)) return;
  const button = document.createElement("button");
  const output = document.createElement("output");
  Object.assign(button, { type: "button", textContent: "Run", className: "run" });
  output.hidden = true;
  button.addEventListener("click", () => void run(button, output));
  block.append(button);
  block.after(output);
}

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLOutputElement} output
 */
async function run(button, output) {
  button.disabled = true;
  output.hidden = false;
  output.value = "";
  const log = (/** @type {unknown[]} */ ...values) => {
    output.value += `${values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ")}\n`;
  };
  try {
    const root = document.documentElement.dataset["root"] ?? "";
    const module = await import(new URL(`${root}assets/first-program.js`, location.href).href);
    await module.run({ log });
  } catch (error) {
    log(String(error));
  } finally {
    button.disabled = false;
  }
}

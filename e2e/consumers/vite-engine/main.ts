import { createBatchedWorker } from "framebatch/batched";

const double = createBatchedWorker<number, number>(
  () => new Worker(new URL("./double.worker.ts", import.meta.url), { type: "module" }),
);

async function show() {
  const output = document.createElement("output");
  output.textContent = `page ${(await (await double).predictMany([1, 2, 3])).join(" ")}`;
  document.body.append(output);
}

void show();

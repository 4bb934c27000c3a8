import { batched } from "framebatch";

const double = batched(async (numbers) => numbers.map((number) => 2 * number));

async function show() {
  const output = document.createElement("output");
  output.textContent = `page ${(await double.many([1, 2, 3])).join(" ")}`;
  document.body.append(output);
}

void show();

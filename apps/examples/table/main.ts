import { createBatchedModel, FramebatchError } from "framebatch";
import customersUrl from "./customers.onnx?url";
import type { Customers } from "./customers.js";

// "finite": a cell that holds no number yet is an error, where the model would answer NaN with a label.
const model = await createBatchedModel<Customers>(customersUrl, { validate: "finite" });

const rows = document.querySelector("tbody")!;
const runs = document.querySelector<HTMLOutputElement>("#runs")!;

/** A row of the sheet. It asks on its own, and knows nothing of the others. */
class Row {
  readonly element = document.createElement("tr");
  readonly #key = crypto.randomUUID();
  readonly #cells: readonly HTMLInputElement[];
  readonly #answer = document.createElement("output");

  constructor(values: readonly string[]) {
    this.#cells = values.map((value, column) => this.#cell(value, column));
    this.element.insertCell().append(this.#answer);
  }

  #cell(value: string, column: number) {
    const cell = document.createElement("input");
    cell.value = value;
    cell.ariaLabel = ["Plan", "City", "Monthly", "Tickets"][column] ?? "";
    cell.addEventListener("input", () => void this.score());
    this.element.insertCell().append(cell);
    return cell;
  }

  async score() {
    const [plan = "", city = "", monthly = "", tickets = ""] = this.#cells.map(({ value }) => value);
    try {
      const { label, probabilities } = await model.predict(
        // An item of four columns: a string or a number each. Texts that the training never saw are fine.
        { plan: [plan], city: [city], monthly: [Number.parseFloat(monthly)], tickets: [Number.parseInt(tickets, 10)] },
        { key: this.#key }, // a newer edit of the row replaces a request that still waits
      );
      const [leaves = 0, stays = 0] = probabilities.data; // in the order of classes_
      this.#answer.value = `${label.data[0]} ${Math.max(leaves, stays).toFixed(3)}`;
    } catch (error) {
      if (!(error instanceof FramebatchError)) throw error;
      if (error.code === "INVALID_INPUT") this.#answer.value = "?"; // such as a number that is still being typed
      else if (error.code !== "SUPERSEDED") throw error;
    }
    runs.value = `${model.stats().requests.completed} answers in ${model.stats().batches.count} runs`;
  }
}

const first = [
  ["team", "Oslo", "29", "2"],
  ["free", "大阪", "80", "7"],
  ["firm", "Köln", "12.5", "3"],
  ["other", "Bern", "45", "4"],
];
const more = Array.from({ length: 196 }, (_, row) => ["team", "Köln", `${5 + (row % 80)}`, `${row % 9}`]);
const sheet = [...first, ...more].map((values) => new Row(values));
rows.append(...sheet.map(({ element }) => element));
await Promise.all(sheet.map((row) => row.score()));

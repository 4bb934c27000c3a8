import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { answersOf, packRows } from "@framebatch/rows/collate/sent-rows.js";
import { Collator } from "@framebatch/rows/collate/collator.js";
import { planInputs } from "@framebatch/rows/collate/input-plan.js";
import { planPadding } from "@framebatch/rows/padding/plan.js";
import { joined, parted } from "./joined-runs.js";

describe("runs of several pages as one", () => {
  it("give each page its own rows, in memory of their own", () => {
    const counts = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 });
    const property = fc.property(fc.nat(1), fc.boolean(), counts, (axis, isPadded, rowsOfPages) => {
      const dims = { dims: [null, null], symbols: ["a", "b"], batchAxis: axis };
      const signature = {
        inputs: [{ name: "x", type: "float32" as const, ...dims }],
        outputs: [{ name: "y", type: "float32" as const, ...dims }],
        fixedBatch: null,
      };
      const padding = planPadding(signature, isPadded ? { x: {} } : {});
      const collator = new Collator(signature, padding);
      let value = 0;
      const pages = rowsOfPages.map((count) =>
        Array.from({ length: count }, () =>
          Float32Array.from({ length: isPadded ? 1 + (value % 3) : 2 }, () => (value += 1)),
        ),
      );
      const extents = [isPadded ? 3 : 2];
      const requests = pages.map((items) => ({
        rows: packRows(
          collator.reader.plans,
          items.map((item) => collator.admit(item)),
        ).rows,
        paddedSize: items.length,
        extents,
      }));
      const { rows, paddedSize } = joined(planInputs(signature, padding), requests);
      const { x } = collator.stackSent(rows, paddedSize, extents);
      const parts = parted(collator.answer(rows, { y: x! }, paddedSize, extents), rowsOfPages);
      const answers = parts.map((part, page) => answersOf(part, rowsOfPages[page]!).map(({ y }) => y?.data));
      expect(answers).toEqual(pages);
      const buffers = new Set(answers.flat().map((data) => data !== undefined && "buffer" in data && data.buffer));
      expect(buffers.size).toBe(pages.flat().length);
    });
    fc.assert(property);
  });
});

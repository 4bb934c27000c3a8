import { describe, expect, it } from "vitest";
import { ProgressSum } from "../../../src/worker/files/progress-sum.js";

function summed(files: number) {
  const said: string[] = [];
  const sum = new ProgressSum(({ phase, loadedBytes, totalBytes }) => {
    said.push(`${phase} ${loadedBytes}/${totalBytes ?? "?"}`);
  });
  return { said, parts: Array.from({ length: files }, () => sum.add()) };
}

describe("ProgressSum", () => {
  it("sums the files, and knows no total before it knows all of them", () => {
    const { said, parts } = summed(2);
    parts[0]?.downloaded(5, 10);
    parts[1]?.downloaded(0, 20);
    parts[1]?.downloaded(20, 20);
    parts[0]?.downloaded(10, 10);
    expect(said).toEqual(["download 5/?", "download 5/30", "download 25/30", "download 30/30"]);
  });

  it("falls back by what is lost where a download starts again", () => {
    const { said, parts } = summed(2);
    parts[0]?.downloaded(10, 10);
    parts[1]?.downloaded(7, 20);
    parts[1]?.downloaded(0, null);
    expect(said.at(-1)).toBe("download 10/?");
  });

  it("is out of the cache only where every file is, and says so once", () => {
    const { said, parts } = summed(2);
    parts[0]?.there(10, true);
    parts[1]?.there(20, true);
    expect(said).toEqual(["cache 30/30"]);
  });

  it("is a download where one file is, whenever the others come out of the cache", () => {
    const { said, parts } = summed(3);
    parts[0]?.there(10, true);
    parts[1]?.downloaded(5, 5);
    parts[2]?.there(20, true);
    expect(said).toEqual(["download 15/?", "download 35/35"]);
  });

  it("has nothing to say of bytes that came with the call", () => {
    const { said, parts } = summed(1);
    parts[0]?.there(10, false);
    expect(said).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { ProgressSum } from "./progress-sum.js";

function summed(files: number) {
  const reported: string[] = [];
  const sum = new ProgressSum(({ phase, loadedBytes, totalBytes }) => {
    reported.push(`${phase} ${loadedBytes}/${totalBytes ?? "?"}`);
  });
  return { reported, parts: Array.from({ length: files }, () => sum.add()) };
}

describe("ProgressSum", () => {
  it("sums the files, and reports a total only once every file's size is known", () => {
    const { reported, parts } = summed(2);
    parts[0]?.downloaded(5, 10);
    parts[1]?.downloaded(0, 20);
    parts[1]?.downloaded(20, 20);
    parts[0]?.downloaded(10, 10);
    expect(reported).toEqual(["download 5/?", "download 5/30", "download 25/30", "download 30/30"]);
  });

  it("decreases by the lost bytes when a download restarts", () => {
    const { reported, parts } = summed(2);
    parts[0]?.downloaded(10, 10);
    parts[1]?.downloaded(7, 20);
    parts[1]?.downloaded(0, null);
    expect(reported.at(-1)).toBe("download 10/?");
  });

  it("reports the cache phase only if every file comes from the cache, and only once", () => {
    const { reported, parts } = summed(2);
    parts[0]?.there(10, true);
    parts[1]?.there(20, true);
    expect(reported).toEqual(["cache 30/30"]);
  });

  it("reports the download phase if one file is downloaded, whenever the others come from the cache", () => {
    const { reported, parts } = summed(3);
    parts[0]?.there(10, true);
    parts[1]?.downloaded(5, 5);
    parts[2]?.there(20, true);
    expect(reported).toEqual(["download 15/?", "download 35/35"]);
  });

  it("reports nothing for bytes that the caller passed", () => {
    const { reported, parts } = summed(1);
    parts[0]?.there(10, false);
    expect(reported).toEqual([]);
  });
});

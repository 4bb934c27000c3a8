import { describe, expect, it } from "vitest";
import { heldStage, settled } from "../../test/support/held-stage.js";
import { outcomeOf, pipelineOn, read } from "../../test/support/pipelines.js";

describe("the stages of a stream", () => {
  it("get the items in the order of the source, however the stages before finish", async () => {
    const [first, second, third] = [
      heldStage<number, number>(),
      heldStage<number, number>(),
      heldStage<number, number>(),
    ];
    const pipeline = pipelineOn<number>().stage(first.stage).stage(second.stage).stage(third.stage);
    const { results, end } = read(pipeline.runStream([1, 2, 3]));
    await settled();
    for (const index of [2, 1]) first.calls[index]?.resolve(first.calls[index].item);
    await settled();
    expect(second.items()).toEqual([]);
    first.calls[0]?.resolve(1);
    await settled();
    expect(second.items()).toEqual([1, 2, 3]);
    for (const index of [1, 0, 2]) second.calls[index]?.resolve(10 * second.calls[index].item);
    await settled();
    expect(third.items()).toEqual([10, 20, 30]);
    for (const { item, resolve } of third.calls) resolve(item);
    expect(await end).toBe("ended");
    expect(results).toEqual([10, 20, 30]);
  });

  it("also after a split, whose parts go on as soon as they are there", async () => {
    const [part, after] = [heldStage<string, string>(), heldStage<string, string>()];
    const pipeline = pipelineOn<string>()
      .split((word) => word.split(""))
      .stage(part.stage)
      .stage((letter) => letter.toUpperCase())
      .collect((letters) => letters.join(""))
      .stage(after.stage);
    const { end, results } = read(pipeline.runStream(["ab", "", "c"]));
    await settled();
    for (const index of [2, 1]) part.calls[index]?.resolve(part.calls[index].item);
    await settled();
    expect(pipeline.stats().stages[2]).toMatchObject({ completed: 2 });
    expect(after.items()).toEqual([]);
    part.calls[0]?.resolve("a");
    await settled();
    expect(after.items()).toEqual(["AB", "", "C"]);
    for (const { item, resolve } of after.calls) resolve(item);
    expect([await end, results]).toEqual(["ended", ["AB", "", "C"]]);
  });

  it("also at a collect, whose items are there in another order", async () => {
    const { calls, stage } = heldStage<string, string>();
    const collected: string[] = [];
    const pipeline = pipelineOn<string>()
      .split((word) => [word])
      .stage(stage)
      .collect(([word]) => collected.push(word!));
    const { end, results } = read(pipeline.runStream(["first", "second"]));
    await settled();
    calls[1]?.resolve("second");
    await settled();
    expect(collected).toEqual([]);
    calls[0]?.resolve("first");
    expect([await end, results, collected]).toEqual(["ended", [1, 2], ["first", "second"]]);
  });

  it("and nothing once the stream is aborted, although the next item was only waiting for its turn", async () => {
    const [first, second] = [heldStage<number, number>(), heldStage<number, number>()];
    const abort = new AbortController();
    const { end } = read(
      pipelineOn<number>().stage(first.stage).stage(second.stage).runStream([1, 2], { signal: abort.signal }),
    );
    await settled();
    first.calls[1]?.resolve(2);
    await settled();
    abort.abort("not wanted");
    await settled();
    expect(second.items()).toEqual([]);
    expect(await end).toBe("not wanted");
  });

  it("and those of a pipeline that is a stage", async () => {
    const [first, second] = [heldStage<number, number>(), heldStage<number, number>()];
    const inner = pipelineOn<number>().stage(first.stage).stage(second.stage);
    read(pipelineOn<number>().stage(inner).runStream([1, 2]));
    await settled();
    first.calls[1]?.resolve(2);
    await settled();
    expect(second.items()).toEqual([]);
    first.calls[0]?.resolve(1);
    await settled();
    expect(second.items()).toEqual([1, 2]);
  });

  it("do not wait for other streams, nor do single runs for each other", async () => {
    const [first, second] = [heldStage<number, number>(), heldStage<number, number>()];
    const pipeline = pipelineOn<number>().stage(first.stage).stage(second.stage);
    read(pipeline.runStream([1]));
    read(pipeline.runStream([2]));
    void outcomeOf(pipeline.run(3));
    void outcomeOf(pipeline.run(4));
    await settled();
    const byItem = (item: number) => first.calls.find((call) => call.item === item);
    for (const item of [4, 2]) byItem(item)?.resolve(item);
    await settled();
    expect(second.items()).toEqual([4, 2]);
  });

  it("do not wait for a split of another stream that has not ended, also if it is the first step", async () => {
    async function* parts(word: string) {
      yield word;
      if (word === "slow") await new Promise(() => {});
    }
    const pipeline = pipelineOn<string>()
      .split(parts)
      .collect(([word]) => word);
    const slow = read(pipeline.runStream(["slow", "next"]));
    await settled();
    const quick = read(pipeline.runStream(["a", "b"]));
    await settled();
    expect([quick.results, slow.results]).toEqual([["a", "b"], []]);
    expect(pipeline.stats().runs).toMatchObject({ accepted: 3, completed: 2, inFlight: 1 });
  });

  it("do not wait for an item that has failed or timed out, and give its place back", async () => {
    const [first, second] = [heldStage<number, number>(), heldStage<number, number>()];
    const pipeline = pipelineOn<number>().stage(first.stage).stage(second.stage);
    const { end } = read(pipeline.runStream([1, 2, 3]));
    await settled();
    first.calls[2]?.resolve(3);
    first.calls[1]?.reject(new RangeError("too bright"));
    await settled();
    expect(second.items()).toEqual([]);
    first.calls[0]?.resolve(1);
    await settled();
    expect(second.items()).toEqual([1, 3]);
    second.calls[0]?.resolve(1);
    expect(await end).toMatchObject({ code: "STAGE_FAILED" });
    expect(pipeline.stats().stages.map(({ inFlight }) => inFlight)).toEqual([0, 0]);
  });

  it("free all places when the stream ends while results wait for their turn", async () => {
    const [first, second] = [heldStage<number, number>(), heldStage<number, number>()];
    const pipeline = pipelineOn<number>().stage(first.stage).stage(second.stage);
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    const controller = new AbortController();
    const { end } = read(pipeline.runStream(numbers, { signal: controller.signal }));
    await settled();
    for (const { item, resolve } of first.calls.slice(1)) resolve(item);
    await settled();
    controller.abort("enough");
    expect(await end).toBe("enough");
    read(pipeline.runStream(numbers));
    await settled();
    expect(first.items()).toEqual([...numbers, ...numbers]);
  });
});

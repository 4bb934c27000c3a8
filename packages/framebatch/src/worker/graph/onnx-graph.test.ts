import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, it, vi } from "vitest";
import { GRAPH, graphOf, hasSubgraph, integerAttribute, MODEL, NODE, readOnnx, fieldsOf } from "./onnx-graph.js";

const ELEMENTS = 10_000;

/** A graph with one node, whose list is written as Python does: a field for each element. */
function forest(): Uint8Array {
  const writer = new BinaryWriter().tag(MODEL.graph, WireType.LengthDelimited).fork();
  writer.tag(GRAPH.node, WireType.LengthDelimited).fork();
  writer.tag(NODE.opType, WireType.LengthDelimited).string("TreeEnsembleClassifier");
  writer.tag(NODE.attribute, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string("nodes_featureids");
  for (let index = 0; index < ELEMENTS; index++) writer.tag(8, WireType.Varint).int64(index);
  writer.join();
  writer.tag(NODE.attribute, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string("axis").tag(3, WireType.Varint).int64(2).join();
  return writer.join().join().finish();
}

it("long lists beside an attribute are not read: a forest has millions of elements", () => {
  const [node] = readOnnx(forest()).nodes;
  const tags = vi.spyOn(BinaryReader.prototype, "tag");
  expect(integerAttribute(node!, "axis")).toEqual([2]);
  expect(hasSubgraph(node!)).toBe(false);
  expect(tags.mock.calls.length).toBeLessThan(100);
  tags.mockRestore();
  expect(integerAttribute(node!, "nodes_featureids")).toHaveLength(ELEMENTS);
});

it("a node has a subgraph wherever its attribute has it", () => {
  const inner = new BinaryWriter().tag(6, WireType.LengthDelimited).bytes(new Uint8Array()).finish();
  const node = new BinaryWriter().tag(NODE.attribute, WireType.LengthDelimited).bytes(inner).finish();
  const graph = new BinaryWriter().tag(GRAPH.node, WireType.LengthDelimited).bytes(node).finish();
  expect(graphOf(fieldsOf(graph)).nodes.map(hasSubgraph)).toEqual([true]);
});

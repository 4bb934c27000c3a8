import { batched } from "framebatch";

const batchedLength = batched<string>({ maxBatchSize: 8 });

export class Search {
  readonly weight = 2;

  @batched({ maxBatchSize: 64 })
  async rank(queries: readonly string[]): Promise<readonly number[]> {
    return queries.map((query) => this.weight * query.length);
  }

  @batchedLength
  async lengths(texts: readonly string[]): Promise<readonly number[]> {
    return texts.map((text) => text.length);
  }
}

import type { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Item, Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { RemoteModel, RemoteModelStats } from "../../client/options/model.js";
import type { RemoteServer } from "@framebatch/remote/server/remote-server.js";
import { type ModelBackend, type ModelParts, TensorModel } from "../../client/model/page-model.js";

type Parts = Omit<ModelParts<Item, PreparedItem, Outputs>, "queue">;

/** A `RemoteModel`: the page's side. */
export class ServerBackedModel extends TensorModel<Item, PreparedItem, Outputs> implements RemoteModel {
  readonly batcher: Batcher<PreparedItem, Outputs>;
  readonly #server: RemoteServer;

  constructor(parts: Parts, batcher: Batcher<PreparedItem, Outputs>, backend: ModelBackend, server: RemoteServer) {
    super({ ...parts, queue: batcher }, backend);
    this.batcher = batcher;
    this.#server = server;
  }

  stats(): RemoteModelStats {
    const { isBinary, retries } = this.#server;
    return { ...this.batcher.stats(), state: this.state, isBinary, retries };
  }
}

import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Item, Outputs } from "../../core/tensor/tensor.js";
import type { RemoteModel, RemoteModelStats } from "../options/model.js";
import type { RemoteServer } from "../remote/remote-server.js";
import { type ModelBackend, type ModelParts, PageModel } from "./page-model.js";

type Parts = ModelParts<Item, PreparedItem, Outputs>;

/** A `RemoteModel`: the page's side. */
export class ServerBackedModel extends PageModel<Item, PreparedItem, Outputs> implements RemoteModel {
  readonly #batcher: Parts["batcher"];
  readonly #server: RemoteServer;

  constructor(parts: Parts, backend: ModelBackend, server: RemoteServer) {
    super(parts, backend);
    this.#batcher = parts.batcher;
    this.#server = server;
  }

  stats(): RemoteModelStats {
    const { isBinary, retries } = this.#server;
    return { ...this.#batcher.stats(), state: this.state, isBinary, retries };
  }
}

import { createServer, type Server } from "node:http";
import { doublingModel } from "./doubling-model.js";
import { listen } from "./local-server.js";

/** A server with one model, which the test can replace. */
export class Deployment {
  asked = 0;
  #body: Uint8Array | null = new Uint8Array(doublingModel());
  #origin = "";
  readonly #server: Server;

  constructor() {
    this.#server = createServer((_request, response) => {
      this.asked += 1;
      response.writeHead(this.#body === null ? 404 : 200).end(this.#body ?? undefined);
    });
  }

  async open(): Promise<void> {
    this.#origin = await listen(this.#server);
  }

  get url(): string {
    return `${this.#origin}/model.onnx`;
  }

  /** @param model `null` removes the model, so that the address answers 404. */
  deploy(model: ArrayBuffer | null): void {
    this.#body = model === null ? null : new Uint8Array(model);
    this.asked = 0;
  }

  close(): void {
    this.#server.close();
  }
}

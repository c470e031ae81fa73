import { messageOf } from "../../contract/core/narrow";
import { Credentials } from "../judgement/backends/binding";
import { Backends } from "../judgement/backends/destinations";
import type { Ground, Hostport } from "../judgement/check";
import { Unservable, unreadable } from "../judgement/rules/unservable";
import type { Model, ModelObject } from "../model";
import { Hostports } from "./hostports";
import { refuseUnknown } from "./refuseUnknown";
import { Site, textOf } from "./site";

/** An edge as gateways serve it: its hostports, or why it is closed. */
type Served = ReadonlyMap<string, Site> | string;

/** The edges of a world as gateways serve them, each made when it is first asked for. */
export class Sites {
  readonly hostports: Hostports;
  readonly partial: boolean;
  readonly #ground: Ground;
  readonly #served = new Map<ModelObject, Served>();

  constructor(model: Model, ports: readonly number[] | undefined) {
    const credentials = new Credentials(model);
    this.#ground = { model, credentials, backends: new Backends(model, credentials) };
    this.partial = model.partial && model.world.knowsEdges !== true;
    this.hostports = new Hostports(model, ports);
  }

  /** A hostport of an edge; a text that says why the edge is closed; undefined if no gateway listens. */
  at(edge: ModelObject, hostport: Hostport): Site | string | undefined {
    const served = this.#of(edge);
    return typeof served === "string" ? served : served.get(textOf(hostport));
  }

  /** Why no gateway can serve an edge as it is declared; undefined where one can. */
  faultOf(edge: ModelObject): string | undefined {
    const served = this.#served.get(edge) ?? this.#serve(edge);
    return typeof served === "string" ? served : undefined;
  }

  #of(edge: ModelObject): Served {
    const known = this.#served.get(edge) ?? this.#serve(edge);
    this.#served.set(edge, known);
    return known;
  }

  #serve(edge: ModelObject): Served {
    try {
      refuseUnknown(edge, this.#ground.model);
      return new Map(
        this.hostports.of(edge).map((hostport) => [textOf(hostport), new Site(this.#ground, edge, hostport)]),
      );
    } catch (error) {
      return error instanceof Unservable ? error.message : unreadable(messageOf(error));
    }
  }
}

/** The packages of NATS, once they are loaded. */
import type * as JetStream from "@nats-io/jetstream";
import type * as Objects from "@nats-io/obj";
import type * as Transport from "@nats-io/transport-node";

export interface NatsPackages {
  transport: typeof Transport;
  jetStream: typeof JetStream;
  objects: typeof Objects;
}

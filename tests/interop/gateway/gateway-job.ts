/** What a test gateway needs to know, as JSON in a file that only it reads. */
export interface GatewayJob {
  /** The name of its engine. */
  readonly engine: string;
  /** Its own name in error texts. */
  readonly name: string;
  /** The unix socket that stands for machined's. */
  readonly backend: string;
  readonly server: KeyPair;
  /** For connections to other gateways. */
  readonly client: KeyPair;
  readonly ca: string;
  /** Whether clients need no certificate, as in maintenance. They may read then, and send 64 KiB. */
  readonly isOpen: boolean;
  /** Whether it answers every request itself, with a body, so that flow control can be seen without gRPC. */
  readonly answersBodies: boolean;
  /** The gateways that calls may name, all of them on one port of 127.0.0.1. */
  readonly peers: readonly string[];
  readonly peerPort: number;
}

/** Both PEM; the key is a secret. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

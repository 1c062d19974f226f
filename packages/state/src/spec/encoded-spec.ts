/** A spec of an unknown type, kept in both encodings as received. */
export class EncodedSpec {
  /** A YAML document. */
  readonly yaml: string;
  /** The protobuf message. */
  readonly proto: Uint8Array;

  constructor(yaml: string, proto: Uint8Array) {
    this.yaml = yaml;
    this.proto = proto;
  }
}

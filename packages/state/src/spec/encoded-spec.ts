/** A spec of a type that nobody here knows: as it came over the wire, in both forms. */
export class EncodedSpec {
  /** A YAML document. */
  readonly yaml: string;
  /** The message of its type. */
  readonly proto: Uint8Array;

  constructor(yaml: string, proto: Uint8Array) {
    this.yaml = yaml;
    this.proto = proto;
  }
}

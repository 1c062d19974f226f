/**
 * A scalar that `encodeYaml` writes unchanged and unquoted, such as a time. The `toYaml` methods of field
 * types create it.
 */
export class PlainScalar {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

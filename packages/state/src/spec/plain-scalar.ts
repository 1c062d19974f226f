/** What stands in YAML as it is, without quotes, such as a time: `toYaml` of field types gives it to `encodeYaml`. */
export class PlainScalar {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

import { BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire';
import type { Field, FieldTable, SpecOfFields } from './field.ts';
import { isLeftOut } from './field-type.ts';

type Named = Field<unknown> & { readonly key: string };

/**
 * A codec for both encodings of specs with these fields. It prepares its tables at first use, because most
 * kinds are rarely used.
 */
export class FieldList<F extends FieldTable, S = SpecOfFields<F>> {
  readonly fields: F;
  #inYaml: readonly Named[] | undefined;
  #onWire: readonly Named[] | undefined;
  #byNumber: ReadonlyMap<number, Named> | undefined;

  constructor(fields: F) {
    this.fields = fields;
  }

  empty(): S {
    const spec: Record<string, unknown> = {};
    for (const { key, type } of this.#named()) spec[key] = type.empty;
    return spec as S;
  }

  toYaml(spec: S): Record<string, unknown> {
    const yaml: Record<string, unknown> = {};
    for (const { key, type, omitEmpty, isInlined } of this.#named()) {
      const value = fieldOf(spec, key);
      if (isInlined === true) Object.assign(yaml, type.toYaml(value));
      else if (omitEmpty !== true || !isLeftOut(type, value)) yaml[key] = type.toYaml(value);
    }
    return yaml;
  }

  /** Whether YAML omits the field. */
  isLeftOut(spec: S): boolean {
    return this.#named().every(({ key, type }) => isLeftOut(type, fieldOf(spec, key)));
  }

  write(writer: BinaryWriter, spec: S): void {
    this.#onWire ??= this.#named()
      .filter(({ number }) => number > 0)
      .sort((a, b) => a.number - b.number);
    for (const { key, number, type } of this.#onWire) {
      const value = fieldOf(spec, key);
      if (!type.isEmpty(value)) type.write(writer, number, value);
    }
  }

  /** Unknown fields are skipped. */
  read(bytes: Uint8Array): S {
    this.#byNumber ??= new Map(this.#named().map((named) => [named.number, named]));
    const spec = this.empty() as Record<string, unknown>;
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const known = this.#byNumber.get(number);
      if (known === undefined) reader.skip(wireType, number);
      else spec[known.key] = known.type.read(reader, wireType, spec[known.key]);
    }
    return spec as S;
  }

  #named(): Named[] {
    const { fields } = this;
    this.#inYaml ??= Object.keys(fields).map((key) => ({ ...(fields[key] as Field<unknown>), key }));
    return this.#inYaml as Named[];
  }
}

function fieldOf(spec: unknown, key: string): unknown {
  return (spec as Record<string, unknown>)[key];
}

import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { type FieldTable, field, type SpecOfFields } from './field.ts';
import { FieldList } from './field-list.ts';
import type { FieldType } from './field-type.ts';
import type { SpecCodec } from './spec-codec.ts';

export type { SpecCodec, SpecCodecs } from './spec-codec.ts';

class FieldCodec<F extends FieldTable> implements SpecCodec<SpecOfFields<F>> {
  readonly fields: F;
  readonly #list: FieldList<F>;

  constructor(fields: F) {
    this.fields = fields;
    this.#list = new FieldList(fields);
  }

  toYaml(spec: SpecOfFields<F>): unknown {
    return this.#list.toYaml(spec);
  }

  toProto(spec: SpecOfFields<F>): Uint8Array {
    const writer = new BinaryWriter();
    this.#list.write(writer, spec);
    return writer.finish();
  }

  fromProto(bytes: Uint8Array): SpecOfFields<F> {
    return this.#list.read(bytes);
  }
}

/** Creates the codec of a spec from its fields, so that YAML and protobuf always agree. */
export function defineSpec<F extends FieldTable>(fields: F): SpecCodec<SpecOfFields<F>> {
  return new FieldCodec(fields);
}

/**
 * Creates the codec of a spec that is a single value. YAML shows only that value; protobuf has it in the
 * field `number`.
 */
export function defineBareSpec<T>(number: number, type: FieldType<T>): SpecCodec<T> {
  const message = new FieldCodec({ value: field(number, type) });
  return {
    fields: message.fields,
    isBare: true,
    toYaml: (value) => type.toYaml(value),
    toProto: (value) => message.toProto({ value } as never),
    fromProto: (bytes) => message.fromProto(bytes).value as T,
  };
}

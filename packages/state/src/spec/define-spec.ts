import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { type FieldTable, field, type SpecOfFields } from './field.ts';
import { FieldList } from './field-list.ts';
import type { FieldType } from './field-type.ts';
import type { SpecCodec } from './spec-codec.ts';

export type { SpecCodec, SpecCodecs } from './spec-codec.ts';

/** The codec of a spec from the table of its fields, so that its two forms never tell different things. */
export function defineSpec<F extends FieldTable>(fields: F): SpecCodec<SpecOfFields<F>> {
  const list = new FieldList(fields);
  return {
    fields,
    toYaml: (spec) => list.toYaml(spec),
    toProto(spec) {
      const writer = new BinaryWriter();
      list.write(writer, spec);
      return writer.finish();
    },
    fromProto: (bytes) => list.read(bytes),
  };
}

/** The codec of a spec that is one value: in YAML that value alone, on the wire the field `number` of its message. */
export function defineBareSpec<T>(number: number, type: FieldType<T>): SpecCodec<T> {
  const { toProto, fromProto } = defineSpec({ value: field(number, type) });
  return {
    toYaml: (value) => type.toYaml(value),
    toProto: (value) => toProto({ value } as never),
    fromProto: (bytes) => fromProto(bytes).value as T,
  };
}

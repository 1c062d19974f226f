import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { type Fields, readMessage, writeMessage, yamlOfFields } from './message.ts';
import type { SpecCodec } from './spec-codec.ts';

export type { Field, Fields } from './message.ts';
export type { SpecCodec, SpecCodecs } from './spec-codec.ts';

/** The codec of a spec from the list of its fields, so that its two forms never tell different things. */
export function defineSpec<S extends object>(fields: Fields<S>): SpecCodec<S> {
  return {
    toYaml: (spec) => yamlOfFields(fields, spec),
    toProto(spec) {
      const writer = new BinaryWriter();
      writeMessage(fields, writer, spec);
      return writer.finish();
    },
    fromProto: (bytes) => readMessage(fields, bytes),
  };
}

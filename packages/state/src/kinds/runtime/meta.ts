import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, text } from '../../spec/field-types.ts';

/** Values of META, by hexadecimal key such as `0x0a`. */
export const metaKeys = defineKind({
  type: 'MetaKeys.runtime.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['meta'],
  printColumns: {
    Value: '{.value}',
  },
  spec: {
    value: field(1, text),
  },
});
export type MetaKeySpec = SpecOf<typeof metaKeys>;

/** Whether META has been loaded. */
export const metaLoads = defineKind({
  type: 'MetaLoads.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'meta-loaded',
  printColumns: {
    Done: '{.done}',
  },
  spec: {
    done: field(1, bool),
  },
});
export type MetaLoadSpec = SpecOf<typeof metaLoads>;

/** A token that distinguishes machines with the same UUID. */
export const uniqueMachineTokens = defineKind({
  type: 'UniqueMachineTokens.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'unique-machine-token',
  printColumns: {
    Token: '{.token}',
  },
  spec: {
    token: field(1, text),
  },
});
export type UniqueMachineTokenSpec = SpecOf<typeof uniqueMachineTokens>;

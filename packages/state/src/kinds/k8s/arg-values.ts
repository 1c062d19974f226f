import { field, list, message, text, type ValueOf } from '../../spec/field-types.ts';

export const argValues = message({
  values: field(1, list(text)),
});
export type ArgValues = ValueOf<typeof argValues>;

import { field, message, textMap, type ValueOf } from '../../spec/field-types.ts';

export const resources = message({
  /** Quantities by resource name. */
  requests: field(1, textMap),
  /** Quantities by resource name. */
  limits: field(2, textMap),
});
export type ResourcesSpec = ValueOf<typeof resources>;

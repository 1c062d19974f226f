import { field, message, textMap, type ValueOf } from '../../spec/field-types.ts';

export const resources = message({
  /** Resource → quantity. */
  requests: field(1, textMap),
  /** Resource → quantity. */
  limits: field(2, textMap),
});
export type ResourcesSpec = ValueOf<typeof resources>;

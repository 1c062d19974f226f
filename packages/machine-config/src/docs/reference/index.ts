// Help for every field of the configuration, for tools and tests. The daemons do not load it: it would cost
// them memory.
export { encodeYaml } from '../../yaml/encode-yaml.ts';
export { fieldReference } from './field-reference.ts';
export { inertTableOf, noteOf } from './inert-rows.ts';
export { type FieldReference, type NotApplied, notRead } from './reference-docs.ts';

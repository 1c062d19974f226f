export { defaultMounts, maskedPaths, readOnlyPaths } from './default-mounts.ts';
export type { RuntimeMount, RuntimeSpec } from './runtime-spec.ts';
export { systemCallFilter } from './system-call-filter.ts';

import type { ComponentName } from '@nodewright/node-files';

/** Contents of files by name, for each component. */
export type ComponentFiles = Readonly<Partial<Record<ComponentName, Readonly<Record<string, string>>>>>;

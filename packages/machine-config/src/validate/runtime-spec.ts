import type { CheckedDocument } from './checked-document.ts';

/** Top-level parts of a runtime specification and what they are. Source: OCI runtime specification 1.2. */
const parts: Readonly<Record<string, 'object' | 'list' | 'text'>> = {
  ociVersion: 'text',
  process: 'object',
  root: 'object',
  hostname: 'text',
  domainname: 'text',
  mounts: 'list',
  hooks: 'object',
  annotations: 'object',
  linux: 'object',
  solaris: 'object',
  windows: 'object',
  vm: 'object',
  zos: 'object',
};

/** Overrides must have the shape of a runtime specification. */
export function checkRuntimeSpec(document: CheckedDocument, ...path: string[]): void {
  for (const [key, value] of Object.entries(document.map(...path))) {
    const wanted = Object.hasOwn(parts, key) ? parts[key] : undefined;
    if (wanted === undefined) document.refuse('is not part of a runtime specification', ...path, key);
    else if (value !== null && shapeOf(value) !== wanted)
      document.refuse(`must be of the kind: ${wanted}`, ...path, key);
  }
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'object' : typeof value;
}

// The objects of a manifest of the user. Source: Kubernetes: manifests.
import { Fault } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';
import { parseDocument } from 'yaml';

/** Limits of one manifest. etcd stores no larger object. */
export const manifestLimits = {
  textBytes: 4 * 1024 * 1024,
  documentBytes: 1536 * 1024,
  objects: 1000,
  aliases: 100,
} as const;

/**
 * Reads the objects of a manifest, one YAML document at each step, so that the caller can do other work in between. Lists
 * are replaced by their items; empty documents are left out.
 *
 * @throws Fault `invalid-argument` with the number of the document, never with its content
 */
export function* readManifest(text: string): Generator<readonly JsonObject[]> {
  if (Buffer.byteLength(text) > manifestLimits.textBytes)
    throw new Fault('invalid-argument', `it is larger than ${manifestLimits.textBytes} bytes`);
  let count = 0;
  for (const [index, document] of text.split(/^---(?=\s|$)/m).entries()) {
    const objects = objectsOf(document, index + 1);
    count += objects.length;
    if (count > manifestLimits.objects)
      throw new Fault('invalid-argument', `it has more than ${manifestLimits.objects} objects`);
    yield objects;
  }
}

function objectsOf(text: string, number: number): JsonObject[] {
  const wrong = (what: string) => new Fault('invalid-argument', `document ${number} ${what}`);
  if (Buffer.byteLength(text) > manifestLimits.documentBytes)
    throw wrong(`is larger than ${manifestLimits.documentBytes} bytes`);
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) throw wrong(`is not YAML: ${error.code} at character ${error.pos[0]}`);
  const value = plainValue(() => document.toJS({ maxAliasCount: manifestLimits.aliases }), wrong);
  if (value === null || value === undefined) return [];
  return flattened(value, wrong);
}

function plainValue(read: () => unknown, wrong: (what: string) => Fault): unknown {
  try {
    return read();
  } catch {
    throw wrong('repeats too much by aliases');
  }
}

function flattened(value: unknown, wrong: (what: string) => Fault): JsonObject[] {
  if (!isMap(value)) throw wrong('is not an object of Kubernetes');
  const { apiVersion, kind, items, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw wrong('has no apiVersion or no kind');
  if (kind.endsWith('List') && Array.isArray(items)) return items.flatMap((item) => flattened(item, wrong));
  if (!isMap(metadata) || typeof metadata.name !== 'string' || metadata.name === '')
    throw wrong('has no metadata.name');
  // Only what JSON can say is sent to the API server.
  return [JSON.parse(JSON.stringify(value))];
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

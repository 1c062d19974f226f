import { Fault, faultFrom } from '@nodewright/fault';
import type { ConfigDocument } from '../config-document.ts';
import { decodeDocument, identifyDocument } from '../decode/decode-document.ts';
import type { ConfigNode } from '../yaml/config-node.ts';
import { readYamlNodes, readYamlStream } from '../yaml/read-yaml-stream.ts';
import { valueFromNode } from '../yaml/value-from-node.ts';
import type { YamlValue } from '../yaml/yaml-value.ts';
import { type DeleteDirective, separateDeletions } from './delete-directive.ts';
import { type JsonPatchOperation, parseJsonPatch } from './json-patch.ts';

/** One document of a strategic patch. */
export interface PatchDocument {
  readonly kind: string;
  readonly name: string;
  readonly directives: readonly DeleteDirective[];
  /** The document to merge; `undefined` when the patch document only deletes. */
  readonly merge: ConfigDocument | undefined;
}

export type ConfigPatch =
  | { readonly kind: 'strategic'; readonly documents: readonly PatchDocument[] }
  | { readonly kind: 'json'; readonly operations: readonly JsonPatchOperation[] };

/**
 * Parses a patch by trying each form: documents to merge, then RFC 6902 as JSON, then RFC 6902 as a YAML
 * list.
 *
 * @throws Fault `invalid-argument` with the error of the form that the text resembles
 *
 * Source: Talos v1.14: machine configuration, patches, loading.
 */
export function parsePatch(text: string): ConfigPatch {
  let strategicFault: Fault;
  try {
    return { kind: 'strategic', documents: parseStrategic(text) };
  } catch (error) {
    strategicFault = faultFrom(error);
  }
  try {
    return { kind: 'json', operations: parseJsonPatch(JSON.parse(text) as YamlValue) };
  } catch (jsonError) {
    const list = listFromYaml(text);
    if (list) return { kind: 'json', operations: parseJsonPatch(valueFromNode(list)) };
    throw text.trimStart().startsWith('[') ? jsonFault(jsonError) : strategicFault;
  }
}

function jsonFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault('invalid-argument', 'JSON patch: the text is not valid JSON', { cause: error });
}

function listFromYaml(text: string): ConfigNode | undefined {
  try {
    const [first, ...others] = readYamlNodes(text);
    return first?.root.kind === 'list' && others.length === 0 ? first.root : undefined;
  } catch {
    return undefined;
  }
}

function parseStrategic(text: string): PatchDocument[] {
  const sources = readYamlStream(text);
  if (sources.length === 0) throw new Fault('invalid-argument', 'config not found');
  return sources.map((source) => {
    const { directives, rest } = separateDeletions(source.root);
    const identity = identifyDocument(source);
    if (rest === undefined) return { ...identity, directives, merge: undefined };
    // Drop the origin: the merged document has another position.
    const { kind, value } = decodeDocument({ ...source, root: rest }, identity);
    return { ...identity, directives, merge: { kind, value } };
  });
}

import { Fault } from '@nodewright/fault';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import { documentSchema, documentVersion, legacyKind } from '../schema/document-schema.ts';
import { linkDocumentKinds } from '../schema/link-documents.ts';
import { formatPosition } from '../yaml/config-node.ts';
import { readYamlStream } from '../yaml/read-yaml-stream.ts';
import { type DecodeOptions, decodeDocument, identifyDocument } from './decode-document.ts';

/** Groups of kinds in which a name may occur only once. */
const sharedNames: readonly (readonly string[])[] = [
  ['UserVolumeConfig', 'ExistingVolumeConfig'],
  ['Layer2VIPConfig', 'HCloudVIPConfig'],
  linkDocumentKinds,
];

/**
 * Reads a complete machine configuration. Every document must have a known kind, only known keys with valid
 * values, and a unique name within its kind.
 *
 * @throws Fault `invalid-argument` naming the document, line and column
 *
 * Source: Talos v1.14: machine configuration, model and decoding rules.
 */
export function loadConfiguration(text: string, options: DecodeOptions = {}): Configuration {
  const sources = readYamlStream(text);
  if (sources.length === 0) throw new Fault('invalid-argument', 'config not found');
  const seen = new Set<string>();
  const documents = sources.map((source) => {
    const { kind, name } = identifyDocument(source);
    const identity = `${documentVersion}/${kind === legacyKind ? '' : kind}/${name}`;
    if (seen.has(identity)) {
      throw new Fault(
        'invalid-argument',
        `duplicate document ${identity} is not allowed (${formatPosition(source.root)})`,
      );
    }
    seen.add(identity);
    return decodeDocument(source, undefined, options);
  });
  return composeConfiguration(documents);
}

/** The name of a document, or empty when its kind has no names. */
export function nameOfDocument({ kind, value }: ConfigDocument): string {
  return documentSchema(kind)?.isNamed && typeof value.name === 'string' ? value.name : '';
}

/**
 * Checks that the documents do not conflict, and puts the legacy document first.
 *
 * @throws Fault `invalid-argument` on conflicting documents
 *
 * Source: Talos v1.14: machine configuration, model.
 */
export function composeConfiguration(documents: readonly ConfigDocument[]): Configuration {
  const byName = new Map<string, string>();
  for (const document of documents) {
    const label = labelOf(document);
    if (byName.has(label)) {
      const what =
        document.kind === legacyKind ? 'duplicate v1alpha1.Config' : `duplicate document: ${label}`;
      throw refusal(document, what);
    }
    byName.set(label, label);
  }
  for (const kinds of sharedNames) refuseSharedNames(documents, kinds);
  refuseSharedLinks(documents);
  const isLegacy = (document: ConfigDocument) => document.kind === legacyKind;
  return [...documents.filter(isLegacy), ...documents.filter((document) => !isLegacy(document))];
}

function refusal({ origin }: ConfigDocument, what: string): Fault {
  const where = origin ? ` (document ${origin.index}, ${formatPosition(origin.root)})` : '';
  return new Fault('invalid-argument', `${what}${where}`);
}

/** `Kind/Name`, or `Kind` for kinds without a name. */
export function labelOf(document: ConfigDocument): string {
  const name = nameOfDocument(document);
  return name === '' ? document.kind : `${document.kind}/${name}`;
}

function refuseSharedNames(documents: readonly ConfigDocument[], kinds: readonly string[]): void {
  const owners = new Map<string, ConfigDocument>();
  for (const document of documents) {
    if (!kinds.includes(document.kind)) continue;
    const name = nameOfDocument(document);
    const owner = owners.get(name);
    if (owner) throw refusal(document, `conflicting documents: ${labelOf(owner)} and ${labelOf(document)}`);
    owners.set(name, document);
  }
}

/** Rejects two documents that configure the same link. A veth pair also configures its peer. */
function refuseSharedLinks(documents: readonly ConfigDocument[]): void {
  const links = sharedNames[2] ?? [];
  const owners = new Map<string, ConfigDocument>();
  for (const document of documents) {
    if (!links.includes(document.kind)) continue;
    for (const name of linkNames(document)) {
      const owner = owners.get(name);
      if (owner) {
        const pair = `${labelOf(owner)} and ${labelOf(document)}`;
        throw refusal(
          document,
          `conflicting link configurations: ${pair} both configure ${JSON.stringify(name)}`,
        );
      }
      owners.set(name, document);
    }
  }
}

function linkNames(document: ConfigDocument): string[] {
  const { peer } = document.value;
  const peerName = typeof peer === 'object' && peer !== null && 'name' in peer ? peer.name : undefined;
  return [nameOfDocument(document), ...(typeof peerName === 'string' && peerName !== '' ? [peerName] : [])];
}

/** A component of the image, for its bill of materials. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** Where its archive is found; undefined for parts of this project. */
  readonly url?: string;
  /** In hex, of the archive. */
  readonly sha256?: string;
  /** What it is for. */
  readonly summary?: string;
  /** The package URL by which scanners for vulnerabilities know it. */
  readonly purl?: string;
}

export interface ImageIdentity {
  readonly version: string;
  /** In hex, of the squashfs. */
  readonly sha256: string;
  readonly epochSeconds: number;
}

/**
 * The bill of materials as an SPDX 2.3 document in JSON. The same image gives the same text. A component that is part of
 * several others is listed once for each of its versions.
 */
export function spdxDocument(all: readonly Component[], image: ImageIdentity): string {
  const components = [...new Map(all.map((one) => [`${one.name} ${one.version}`, one])).values()];
  const versions = Map.groupBy(components, ({ name }) => name);
  const id = ({ name, version }: Component) => {
    const words = (versions.get(name)?.length ?? 0) > 1 ? `${name}-${version}` : name;
    return `SPDXRef-${words.replace(/[^A-Za-z0-9.-]/g, '-')}`;
  };
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `nodewright-rootfs-${image.version}`,
    documentNamespace: `https://nodewright.invalid/spdx/rootfs/${image.sha256}`,
    creationInfo: {
      created: new Date(image.epochSeconds * 1000).toISOString().replace('.000', ''),
      creators: ['Tool: nodewright-rootfs'],
    },
    packages: components.map((component) => ({
      SPDXID: id(component),
      name: component.name,
      versionInfo: component.version,
      downloadLocation: component.url ?? 'NOASSERTION',
      filesAnalyzed: false,
      licenseConcluded: 'NOASSERTION',
      licenseDeclared: 'NOASSERTION',
      copyrightText: 'NOASSERTION',
      ...optionalFields(component),
    })),
    relationships: components.map((component) => ({
      spdxElementId: 'SPDXRef-DOCUMENT',
      relationshipType: 'DESCRIBES',
      relatedSpdxElement: id(component),
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function optionalFields({ sha256, summary, purl }: Component) {
  const reference = { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl };
  return {
    ...(sha256 === undefined ? {} : { checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] }),
    ...(summary === undefined ? {} : { summary }),
    ...(purl === undefined ? {} : { externalRefs: [reference] }),
  };
}

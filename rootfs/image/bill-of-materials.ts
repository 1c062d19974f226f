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

/** The bill of materials as an SPDX 2.3 document in JSON. The same image gives the same text. */
export function spdxDocument(components: readonly Component[], image: ImageIdentity): string {
  const id = (name: string) => `SPDXRef-${name.replace(/[^A-Za-z0-9.-]/g, '-')}`;
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
    packages: components.map(({ name, version, url, sha256, summary, purl }) => ({
      SPDXID: id(name),
      name,
      versionInfo: version,
      downloadLocation: url ?? 'NOASSERTION',
      filesAnalyzed: false,
      licenseConcluded: 'NOASSERTION',
      licenseDeclared: 'NOASSERTION',
      copyrightText: 'NOASSERTION',
      ...(sha256 === undefined ? {} : { checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }] }),
      ...(summary === undefined ? {} : { summary }),
      ...(purl === undefined ? {} : { externalRefs: [packageUrl(purl)] }),
    })),
    relationships: components.map(({ name }) => ({
      spdxElementId: 'SPDXRef-DOCUMENT',
      relationshipType: 'DESCRIBES',
      relatedSpdxElement: id(name),
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const packageUrl = (purl: string) => ({
  referenceCategory: 'PACKAGE-MANAGER',
  referenceType: 'purl',
  referenceLocator: purl,
});

/** A component of the image, for its bill of materials. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** Who distributes it. Source: SPDX 2.3, package supplier. */
  readonly supplier: string;
  /** Where its archive is found; undefined for parts of this project. */
  readonly url?: string;
  /** In hex, of the archive. */
  readonly sha256?: string;
  /** In hex, of the archive. */
  readonly sha512?: string;
  /** What it is for. */
  readonly summary?: string;
  /** The package URL by which scanners for vulnerabilities know it. */
  readonly purl?: string;
  /** The licence that its supplier declares, an SPDX expression; undefined where only the texts say it. */
  readonly licence?: string;
  /** The name of the component that it is a part of; undefined for what is a part of the image itself. */
  readonly partOf?: string;
}

export interface ImageIdentity {
  readonly version: string;
  /** In hex, of the squashfs. */
  readonly sha256: string;
  readonly epochSeconds: number;
}

/** The suppliers of components, in the form of SPDX. */
export const suppliers = {
  own: 'Organization: nodewright',
  debian: 'Organization: Debian',
} as const;

const documentId = 'SPDXRef-DOCUMENT';
const imageId = 'SPDXRef-image';

/**
 * The bill of materials as an SPDX 2.3 document in JSON: the image, and the components that it and its components contain. The
 * same image gives the same text. A component that is part of several others is listed once for each of its versions.
 */
export function spdxDocument(all: readonly Component[], image: ImageIdentity): string {
  // The first one counts, because a component of the image itself comes before its own components.
  const components = [...Map.groupBy(all, ({ name, version }) => `${name} ${version}`).values()].flatMap(
    ([first]) => first ?? [],
  );
  const versions = Map.groupBy(components, ({ name }) => name);
  const id = ({ name, version }: Component) => {
    const words = (versions.get(name)?.length ?? 0) > 1 ? `${name}-${version}` : name;
    return `SPDXRef-package-${words.replace(/[^A-Za-z0-9.-]/g, '-')}`;
  };
  const idOfName = (name: string) => {
    const [component] = versions.get(name) ?? [];
    if (component === undefined) throw new Error(`no component of the image has the name ${name}`);
    return id(component);
  };
  const contained = all.map(
    (one) => `${one.partOf === undefined ? imageId : idOfName(one.partOf)} ${id(one)}`,
  );
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: documentId,
    name: `nodewright-rootfs-${image.version}`,
    documentNamespace: `https://nodewright.invalid/spdx/rootfs/${image.sha256}`,
    creationInfo: {
      created: new Date(image.epochSeconds * 1000).toISOString().replace('.000', ''),
      creators: [suppliers.own, 'Tool: nodewright-rootfs'],
    },
    packages: [
      packageOf(imageId, {
        name: 'nodewright-image',
        version: image.version,
        supplier: suppliers.own,
        sha256: image.sha256,
        summary: 'the image of machines; the digest is that of its root file system',
      }),
      ...components.map((component) => packageOf(id(component), component)),
    ],
    relationships: [
      relationship(documentId, 'DESCRIBES', imageId),
      ...[...new Set(contained)].map((pair) => {
        const [whole = '', part = ''] = pair.split(' ');
        return relationship(whole, 'CONTAINS', part);
      }),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function packageOf(id: string, component: Component) {
  const { name, version, supplier, url, licence, sha256, sha512, summary, purl } = component;
  const checksums = [
    ...(sha256 === undefined ? [] : [{ algorithm: 'SHA256', checksumValue: sha256 }]),
    ...(sha512 === undefined ? [] : [{ algorithm: 'SHA512', checksumValue: sha512 }]),
  ];
  const reference = { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl };
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    supplier,
    downloadLocation: url ?? 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: licence ?? 'NOASSERTION',
    copyrightText: 'NOASSERTION',
    ...(checksums.length === 0 ? {} : { checksums }),
    ...(summary === undefined ? {} : { summary }),
    ...(purl === undefined ? {} : { externalRefs: [reference] }),
  };
}

const relationship = (whole: string, type: 'DESCRIBES' | 'CONTAINS', part: string) => ({
  spdxElementId: whole,
  relationshipType: type,
  relatedSpdxElement: part,
});

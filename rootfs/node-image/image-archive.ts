import { writeTar } from '@nodewright/build/archives';
import { mediaTypes, parseImageReference } from '@nodewright/oci';
import { type Blob, descriptorOf, json, type OciImage } from '../image/oci-image.ts';

/**
 * Packs an image as an archive of an OCI image layout, in pieces. It has the list of `docker save`, too, because older engines
 * read only that. Source: OCI image specification, image layout.
 *
 * @param name name and tag that a container engine gives to the image
 */
export function imageArchive(name: string, { manifest, config, layers }: OciImage): Buffer[] {
  const annotations = {
    'io.containerd.image.name': nameWithRegistry(name),
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  };
  const index = {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [{ ...descriptorOf(manifest), annotations }],
  };
  const list = [{ Config: pathOf(config), RepoTags: [name], Layers: layers.map(pathOf) }];
  const files: [string, readonly Buffer[]][] = [
    ['oci-layout', [json({ imageLayoutVersion: '1.0.0' })]],
    ['index.json', [json(index)]],
    ['manifest.json', [json(list)]],
    ...[manifest, config, ...layers].map((blob): [string, readonly Buffer[]] => [
      pathOf(blob),
      [blob.content],
    ]),
  ];
  return writeTar(files);
}

/** The name as containerd wants it, which knows no default registry. */
function nameWithRegistry(name: string): string {
  const { registry, repository, tag } = parseImageReference(name);
  return `${registry}/${repository}:${tag}`;
}

const pathOf = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`;

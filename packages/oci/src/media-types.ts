/** Source: OCI image specification, media types; and the older types of Docker. */
export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  gzipLayer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  zstdLayer: 'application/vnd.oci.image.layer.v1.tar+zstd',
} as const;

/** Whether the type is a list of manifests. */
export function isIndexType(mediaType: string): boolean {
  return mediaType === mediaTypes.index || mediaType === mediaTypes.dockerIndex;
}

export function isManifestType(mediaType: string): boolean {
  return mediaType === mediaTypes.manifest || mediaType === mediaTypes.dockerManifest;
}

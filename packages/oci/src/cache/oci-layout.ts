// The image layout of OCI. A cache in it is one image: each of its layers is a tar archive, not compressed, with files of the flat layout
// (cache-paths.ts). So it can be pushed to a registry, and unpacked by any tool. Sources: OCI image specification, image layout;
// Talos v1.14: image cache.

/** Marks the folder as a layout. */
export const layoutFile = 'oci-layout';
export const layoutMarker = { imageLayoutVersion: '1.0.0' } as const;
export const layoutIndex = 'index.json';
/** The path of a blob of the layout. @param digest `sha256:<hex>` */
export const layoutBlob = (digest: string) => `blobs/${digest.replace(':', '/')}`;

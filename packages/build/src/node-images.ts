/** The image that `make node-image` gives to an engine. */
export const nodeImage = 'nodewright/node:dev';
/** The same image with Kubernetes, which `make node-image KUBERNETES=1` makes. */
export const kubernetesNodeImage = 'nodewright/node-kubernetes:dev';
/** The names of the images in an engine, and of their archives in `_out/image`. */
export const nodeImages = {
  plain: { name: nodeImage, file: 'node-image.tar' },
  kubernetes: { name: kubernetesNodeImage, file: 'node-image-kubernetes.tar' },
} as const;

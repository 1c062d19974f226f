/** Folders of the images of machines, below `_out`: as `make image` makes them, and with Kubernetes (`make image KUBERNETES=1`). */
export const machineImages = { plain: 'image', kubernetes: 'image-kubernetes' } as const;

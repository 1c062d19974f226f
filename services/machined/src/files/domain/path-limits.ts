/** As the kernel: more links than this on one path are a loop. */
export const maxPathLinks = 40;
/** As the kernel, without the NUL byte at its end. */
export const maxPathBytes = 4095;
/** Folders within each other. A call on files holds a descriptor for each folder on the way. */
export const maxFolderDepth = 256;

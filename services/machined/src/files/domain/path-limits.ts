/** The limit of the kernel: a path with more links is treated as a loop. */
export const maxPathLinks = 40;
/** The limit of the kernel, without the NUL byte at the end. */
export const maxPathBytes = 4095;
/** The limit of nested folders. A call keeps one file descriptor open for each folder on the way. */
export const maxFolderDepth = 256;

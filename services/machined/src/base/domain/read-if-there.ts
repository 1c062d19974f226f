/** Returns the content of a file; `undefined` when the file does not exist or cannot be read. */
export type ReadIfThere = (path: string) => Buffer | undefined;

/** Returns the content of a file, `absent` when it does not exist, or `unreadable` when the kernel gives another error. */
export type ReadOrReason = (path: string) => Buffer | 'absent' | 'unreadable';

/** Returns the content of a file; `undefined` when the file does not exist or cannot be read. */
export type ReadIfThere = (path: string) => Buffer | undefined;

/** Gives the content of a file of the kernel or the system; undefined when there is none or it cannot be read. */
export type ReadIfThere = (path: string) => Buffer | undefined;

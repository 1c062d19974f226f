/** A file, or a command line, that follows from a configuration alone. */
export interface RenderedFile {
  /** The path on the node, or what it is, such as `command line of the kubelet`. */
  readonly name: string;
  /** What a program reads. It may hold secrets. */
  readonly text: string;
  /** The same as a value, so that a difference can be named by its key and not by its line. It is made only when a file is different. */
  readonly value: () => unknown;
  /** Set where upstream's nodes render another file than those of this project, and this one is upstream's. */
  readonly rule?: string;
}

/** Makes some of the files; none on a node that does not have them. */
export interface FileMaker<S> {
  /** What it makes, for the error of a configuration from which it cannot be made. */
  readonly name: string;
  readonly make: (settings: S) => readonly RenderedFile[];
}

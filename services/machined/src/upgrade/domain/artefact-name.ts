import { formatImageReference, isDigest, parseImageReference } from '@nodewright/oci';

/** An artefact in the store of a node, by its names. */
export interface NamedArtefact {
  /** Complete, with a tag: `registry.example/installer:v1.14.1`. */
  readonly name: string;
  /** Of the document that the name stands for: `sha256:…`. */
  readonly digest: string;
}

/** The registry in the names of artefacts that were imported: they are of no registry. */
export const importedRegistry = 'localhost';

/** Whether no registry has what a text means: only the store of this node can have it. */
export const isOnlyInStore = (text: string): boolean =>
  isDigest(text) || text.startsWith(`${importedRegistry}/`);

/** The name of an imported artefact whose archive has none. */
export const importedName = (version: string): string => `${importedRegistry}/installer:${version}`;

/** The reference with the digest in place of the tag, as a pull answers it. Source: Talos v1.14: ImageService, pull */
export function pinnedName({ name, digest }: NamedArtefact): string {
  const { registry, repository } = parseImageReference(name);
  return formatImageReference({ registry, repository, digest });
}

/**
 * The artefact that a text means: its digest, a reference with its digest whatever else that says, or its name.
 *
 * @throws Fault `invalid-argument` for a text that is neither a digest nor a reference
 */
export function findArtefact<Artefact extends NamedArtefact>(
  artefacts: readonly Artefact[],
  text: string,
): Artefact | undefined {
  const digest = isDigest(text) ? text : parseImageReference(text).digest;
  if (digest !== undefined) return artefacts.find((one) => one.digest === digest);
  const name = formatImageReference(parseImageReference(text));
  return artefacts.find((one) => one.name === name);
}

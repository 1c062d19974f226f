import { type ImageReference, parseImageReference } from '@nodewright/oci';

/**
 * The references by digest that are removed together with a reference. A pull of a tag may make three references: the tag,
 * `repository@sha256:…`, and the bare id of the image's configuration, as containerd's CRI does. References by digest are removed with
 * the last tag of their repository, bare ids with the last other reference.
 *
 * @param removed a reference by tag or by digest
 * @param others all other references to the same image, in any order. Names that are no references count as needed
 */
export function unneededDigests(removed: string, others: readonly string[]): string[] {
  const parsed = parseOrUndefined(removed);
  const ofRepository = others.filter((name) => isSameRepository(parseOrUndefined(name), parsed));
  const isTag = (name: string) => parseOrUndefined(name)?.digest === undefined;
  const pinned = isTag(removed) && !ofRepository.some(isTag) ? ofRepository : [];
  const left = others.filter((name) => !isBareId(name) && !pinned.includes(name));
  return [...pinned, ...(left.length === 0 ? others.filter(isBareId) : [])];
}

const isBareId = (name: string) => /^sha256:[0-9a-f]{64}$/.test(name);

function isSameRepository(one: ImageReference | undefined, other: ImageReference | undefined): boolean {
  return one !== undefined && one.registry === other?.registry && one.repository === other.repository;
}

function parseOrUndefined(name: string): ImageReference | undefined {
  if (isBareId(name)) return undefined;
  try {
    return parseImageReference(name);
  } catch {
    // A name that somebody gave to an image of the runtime.
    return undefined;
  }
}

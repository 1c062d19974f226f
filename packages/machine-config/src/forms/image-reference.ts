/** `registry/path:tag@digest` in the grammar of container images. */
const reference =
  /^(?:(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$/;

export function isImageReference(text: string): boolean {
  // The pattern backtracks on long runs, so its input is bounded; valid references are shorter.
  return text.length <= 512 && reference.test(text);
}

export function hasDigest(text: string): boolean {
  return /@[a-z0-9]+:[0-9a-f]{32,}$/i.test(text);
}

/** Returns the problem with the Kubernetes version in the tag of an image, or `undefined`. */
export function kubernetesVersionProblem(image: string): string | undefined {
  const [bare = ''] = image.split('@');
  const [, text] = /:v([^:]*)$/.exec(bare) ?? [];
  if (text === undefined) return 'has no version: its tag must begin with "v"';
  const [, majorText, minorText] = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(text) ?? [];
  if (majorText === undefined) return 'has a tag that is not a version';
  const [major, minor] = [Number(majorText), Number(minorText)];
  const isKnown = major === 1 && minor >= oldestMinor && minor <= newestMinor;
  return isKnown
    ? undefined
    : `has version ${majorText}.${minorText} of Kubernetes: 1.${oldestMinor} to 1.${newestMinor} are supported`;
}

/** Source: Talos v1.14: machine configuration, checks made only on a node. */
const oldestMinor = 32;
const newestMinor = 37;

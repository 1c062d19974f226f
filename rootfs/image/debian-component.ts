import { debianArchives, type LockedPackage } from '@nodewright/build/debian';
import { debianSuite } from '../recipe.ts';
import { type Component, suppliers } from './bill-of-materials.ts';

/** The component of a locked package of Debian. Source: Package URL, type deb. */
export function debianComponent(
  id: string,
  { version, archive, path, sha256 }: LockedPackage,
  more: Pick<Component, 'summary' | 'partOf'> = {},
): Component {
  // The name in the archive, because kernels are locked under the name of a package that depends on them.
  const [, name = id, architecture = 'all'] = /([^/_]+)_[^/_]+_([^/_]+)\.deb$/.exec(path) ?? [];
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  return {
    ...{ name: id, version, sha256, supplier: suppliers.debian },
    url: `${debianArchives[archive].publicMirror}/${path}`,
    purl: `${purl}?arch=${architecture}&distro=${debianSuite}`,
    ...more,
  };
}

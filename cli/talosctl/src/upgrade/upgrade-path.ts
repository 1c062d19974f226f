// Which calls upgrade nodes. Source: Talos v1.14: talosctl upgrade.

/** `lifecycle`: LifecycleService, and a restart as a call of its own. `legacy`: MachineService.Upgrade, which restarts by itself. */
export type UpgradePath = 'lifecycle' | 'legacy';

const versionForm = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/;
/** The last version without LifecycleService. */
const before = [1, 13, 0, 'alpha', 2] as const;

/**
 * The path for nodes with these versions: all of them must have LifecycleService.
 *
 * @param tags such as `v1.14.0-beta.1`; one that is no version counts as old
 */
export function upgradePath(tags: readonly string[]): UpgradePath {
  return tags.every(hasLifecycle) ? 'lifecycle' : 'legacy';
}

function hasLifecycle(tag: string): boolean {
  const [, ...parts] = versionForm.exec(tag) ?? [];
  if (parts.length === 0) return false;
  const [major = 0, minor = 0, patch = 0] = parts.slice(0, 3).map((part) => Number(part ?? 0));
  if (major !== before[0]) return false;
  if (minor !== before[1]) return minor > before[1];
  if (patch > before[2]) return true;
  const pre = parts[3];
  if (pre === undefined) return true;
  const [word = '', number = ''] = pre.split('.');
  if (word !== before[3]) return word > before[3];
  return /^\d{1,9}$/.test(number) && Number(number) > before[4];
}

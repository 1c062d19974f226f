import { isAbsolute, join, resolve } from 'node:path';

/** The path at which a pod with a Talos service account finds its configuration. */
const serviceAccountPath = '/var/run/secrets/talos.dev/config';

export interface TalosconfigLocation {
  /** Absolute. */
  readonly path: string;
  /** Whether the file may be changed. The file that is mounted into a pod may not. */
  readonly writable: boolean;
}

export interface LocateTalosconfigInit {
  /** Value of `--talosconfig`, relative to `cwd`. */
  readonly flag?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
  readonly exists: (path: string) => boolean;
}

/**
 * Returns the folder of the client configuration and the local clusters: `TALOS_HOME` if it is an absolute
 * path, else `.talos` in the home folder.
 */
export function talosHome(init: Pick<LocateTalosconfigInit, 'environment' | 'home'>): string {
  const { TALOS_HOME } = init.environment;
  return TALOS_HOME !== undefined && isAbsolute(TALOS_HOME) ? TALOS_HOME : join(init.home, '.talos');
}

/**
 * Locates the talosconfig. The path of the flag comes first, and need not exist. Otherwise the first existing
 * file of `TALOSCONFIG`, `<talos home>/config` and the one mounted into a pod is used. When none exists, it
 * is the first of them that can be written. Source: Talos v1.14: client configuration path.
 */
export function locateTalosconfig(init: LocateTalosconfigInit): TalosconfigLocation {
  const { flag, environment, cwd, exists } = init;
  if (flag !== undefined && flag !== '') return { path: resolve(cwd, flag), writable: true };
  const { TALOSCONFIG } = environment;
  const candidates: TalosconfigLocation[] = [
    ...(TALOSCONFIG ? [{ path: resolve(cwd, TALOSCONFIG), writable: true }] : []),
    { path: join(talosHome(init), 'config'), writable: true },
    { path: serviceAccountPath, writable: false },
  ];
  return candidates.find(({ path }) => exists(path)) ?? (candidates[0] as TalosconfigLocation);
}

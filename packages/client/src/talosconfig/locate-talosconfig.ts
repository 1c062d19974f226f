import { isAbsolute, join, resolve } from 'node:path';

/** Where a pod with a Talos service account finds its configuration. */
const serviceAccountPath = '/var/run/secrets/talos.dev/config';

export interface TalosconfigLocation {
  /** Absolute. */
  readonly path: string;
  /** Whether the file may be changed: the one mounted into a pod may not. */
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
 * The folder of client configuration and local clusters: `TALOS_HOME` when it is an absolute path, else `.talos` in
 * the home folder.
 */
export function talosHome(init: Pick<LocateTalosconfigInit, 'environment' | 'home'>): string {
  const { TALOS_HOME } = init.environment;
  return TALOS_HOME !== undefined && isAbsolute(TALOS_HOME) ? TALOS_HOME : join(init.home, '.talos');
}

/**
 * Which file is the talosconfig: the flag's, else the first that exists of `TALOSCONFIG`, `<talos home>/config` and
 * the one mounted into a pod. When none exists it is the first that could be written. The file of the flag need not
 * exist. Source: Talos v1.14: client configuration path.
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

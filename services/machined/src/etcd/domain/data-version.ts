import { type EtcdVersion, etcdVersionText } from './etcd-version.ts';

export interface DataVersions {
  /** The etcd that has created the data; `undefined` when that is not recorded. */
  readonly written: EtcdVersion | undefined;
  /** The etcd that is to open them. */
  readonly running: EtcdVersion;
}

/**
 * Why etcd must not open existing data; `undefined` when it may. etcd changes its format with its minor
 * version: 3.7 crashes on the data of 3.5, and what it has opened an older one cannot read again.
 */
export function dataProblem({ written, running }: DataVersions): string | undefined {
  if (written?.major === running.major && written.minor === running.minor) return undefined;
  const origin =
    written === undefined
      ? 'an etcd whose version is not recorded, such as 3.5'
      : `etcd ${etcdVersionText(written)}`;
  return `etcd ${etcdVersionText(running)} cannot start: its data were written by ${origin}; ${advice}`;
}

/** A graceful reset would ask etcd, which does not run. */
const advice =
  'nothing was changed; to go on, run that etcd again, or reset this node (talosctl reset --no-graceful) and then let it join, or bootstrap it from a snapshot';

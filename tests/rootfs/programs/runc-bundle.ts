import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const mounts = [
  { destination: '/proc', type: 'proc', source: 'proc' },
  { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
];

/** Writes the bundle of a container whose system calls `mkdir` and `mkdirat` fail as not supported. */
export function writeBundle(work: string, args: readonly string[]): string {
  const bundle = join(work, 'bundle');
  mkdirSync(bundle);
  const config = {
    ociVersion: '1.2.0',
    process: { user: { uid: 0, gid: 0 }, args, env: ['PATH=/usr/bin'], cwd: '/', noNewPrivileges: true },
    root: { path: join(work, 'rootfs'), readonly: true },
    mounts,
    linux: {
      cgroupsPath: `/nodewright-runc-${process.pid}`,
      namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })),
      seccomp: {
        defaultAction: 'SCMP_ACT_ALLOW',
        syscalls: [{ names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO', errnoRet: 95 }],
      },
    },
  };
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
  return bundle;
}

import type { GoProgram } from '../go/build-program.ts';
import { etcdPrograms, etcdVersion } from './etcd-release.ts';

/** The module of each program. Each has its main function at the top, so the wrapper has no code of its own. */
const modules = { etcd: 'server', etcdutl: 'etcdutl', etcdctl: 'etcdctl' } as const satisfies Record<
  (typeof etcdPrograms)[number],
  string
>;

/** The programs of etcd, to be built from Go modules. */
export const etcdGoPrograms: readonly GoProgram[] = etcdPrograms.map((name) => ({
  name,
  version: etcdVersion,
  files: ['go.mod', 'go.sum'],
  flags: ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w'],
  package: `go.etcd.io/etcd/${modules[name]}/v3`,
  leastGoMinor: 26,
}));

import type { GoProgram } from '../go/build-program.ts';
import { goRelease } from '../go/go-release.ts';
import { type etcdPrograms, etcdVersion } from './etcd-release.ts';

/** The module of each program. Each has its main function at the top, so the wrapper has no code of its own. */
const modules = { etcd: 'server', etcdutl: 'etcdutl', etcdctl: 'etcdctl' } as const satisfies Record<
  (typeof etcdPrograms)[number],
  string
>;

const programOf = (name: (typeof etcdPrograms)[number]): GoProgram => ({
  name,
  version: etcdVersion,
  files: ['go.mod', 'go.sum'],
  flags: ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w -buildid='],
  package: `go.etcd.io/etcd/${modules[name]}/v3`,
  toolchain: goRelease,
  // Any Go from there on can fetch that release.
  leastGoMinor: 21,
});

/** The programs of etcd, to be built from Go modules, with the same bytes on every machine. */
export const etcdGoPrograms = {
  etcd: programOf('etcd'),
  etcdutl: programOf('etcdutl'),
  etcdctl: programOf('etcdctl'),
} as const satisfies Record<(typeof etcdPrograms)[number], GoProgram>;

// The programs of others that judge the gateway, and registryd, built from their Go modules once for each version.
import { join } from 'node:path';
import { buildCaches, ensureProgram, type GoProgram, goRelease } from '@nodewright/build/go';

const checkout = join(import.meta.dirname, '..', '..');

const common = {
  flags: ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w'],
  toolchain: goRelease,
  // Any Go from there on can fetch the exact one.
  leastGoMinor: 21,
} as const;
const grpcVersion = 'v1.85.0';

interface OutsideProgram extends GoProgram {
  /** Folder with the wrapper module, below this one. */
  readonly wrapper: string;
}

export const outsidePrograms = {
  client: {
    ...common,
    name: 'grpc-interop-client',
    wrapper: 'grpc/program',
    version: grpcVersion,
    files: ['go.mod', 'go.sum', 'main.go'],
    package: 'google.golang.org/grpc/interop/client',
  },
  server: {
    ...common,
    name: 'grpc-interop-server',
    wrapper: 'grpc/program',
    version: grpcVersion,
    files: ['go.mod', 'go.sum', 'main.go'],
    package: '.',
  },
  h2spec: {
    ...common,
    name: 'h2spec',
    wrapper: 'h2spec/program',
    // Later versions cannot be had through the module proxy: their go.mod lacks the major version.
    version: 'v2.2.1',
    files: ['go.mod', 'go.sum'],
    package: 'github.com/summerwind/h2spec/cmd/h2spec',
  },
  distribution: {
    ...common,
    name: 'distribution-conformance',
    wrapper: '../registry/program',
    // It has no tagged versions.
    version: 'of 31 August 2026',
    files: ['go.mod', 'go.sum'],
    package: 'github.com/opencontainers/distribution-spec/conformance',
  },
  zlint: {
    ...common,
    name: 'zlint',
    wrapper: '../judges/network/zlint',
    version: 'v3.7.3',
    files: ['go.mod', 'go.sum'],
    package: 'github.com/zmap/zlint/v3/cmd/zlint',
  },
  porcupine: {
    ...common,
    name: 'history-checker',
    wrapper: '../judges/consistency/program',
    version: 'v1.3.1',
    files: ['go.mod', 'go.sum', 'main.go'],
    package: '.',
  },
} as const satisfies Readonly<Record<string, OutsideProgram>>;

export type OutsideProgramName = keyof typeof outsidePrograms;

/**
 * The path of a program, which is built unless a cache has it.
 *
 * @throws Error with one line: no suitable Go, or the last line of a failed build
 */
export function ensureOutsideProgram(name: OutsideProgramName): string {
  const program = outsidePrograms[name];
  const { path } = ensureProgram({
    program,
    wrapper: join(import.meta.dirname, program.wrapper),
    caches: buildCaches(checkout, process.env),
    environment: process.env,
    note: (line) => void process.stdout.write(`interop: ${line}\n`),
  });
  return path;
}

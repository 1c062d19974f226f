import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedTools } from '../debian/locked-tools.ts';
import { triplets } from '../recipe.ts';

const flags = [
  ...['-quiet', '-Os', '-Wall', '-Wextra', '-Werror', '-nostdinc'],
  // Without a libc nothing provides what the compiler would otherwise call.
  ...['-ffreestanding', '-fno-builtin', '-fno-tree-loop-distribute-patterns', '-fno-stack-protector'],
  ...['-fno-pie', '-fno-asynchronous-unwind-tables'],
];

export interface InitSources {
  /** Folder of `init.c`. */
  readonly source: string;
  /** An existing folder for intermediate files. */
  readonly work: string;
  /** The image of etcd that the machine has, used unless the configuration names one. */
  readonly etcdImage: string;
}

/**
 * Compiles the init with the locked compiler, assembler and linker, and returns the static program. The same source
 * gives the same bytes on every machine.
 *
 * @throws Error with the compiler's message
 */
export function buildInit(tools: LockedTools, { source, work, etcdImage }: InitSources): Buffer {
  const triplet = triplets[tools.architecture];
  const [assembly, object, program] = ['init.s', 'init.o', 'init'].map((name) => join(work, name)) as [
    string,
    string,
    string,
  ];
  const headers = [`usr/include/${triplet}`, 'usr/include'].flatMap((path) => ['-isystem', tools.path(path)]);
  const settings = [`-DETCD_IMAGE="${etcdImage}"`];
  tools.run(
    `usr/libexec/gcc/${triplet}/14/cc1`,
    [...flags, ...settings, ...headers, 'init.c', '-o', assembly],
    {
      cwd: source,
    },
  );
  tools.run(`usr/bin/${triplet}-as`, [assembly, '-o', object]);
  const link = ['-static', '-nostdlib', '-s', '-z', 'noexecstack', '--build-id=none'];
  tools.run(`usr/bin/${triplet}-ld.bfd`, [...link, '-o', program, object]);
  return readFileSync(program);
}

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

export interface StaticProgramSources {
  /** Folder of `<name>.c`. */
  readonly source: string;
  readonly name: string;
  /** An existing folder for intermediate files. */
  readonly work: string;
  /** Further flags of the compiler. */
  readonly settings?: readonly string[];
}

/**
 * Compiles a program without a libc with the locked compiler, assembler and linker, and returns it. The same source gives the
 * same bytes on every machine.
 *
 * @throws Error with the compiler's message
 */
export function buildStaticProgram(
  tools: LockedTools,
  { source, name, work, settings = [] }: StaticProgramSources,
): Buffer {
  const triplet = triplets[tools.architecture];
  const [assembly, object, program] = [`${name}.s`, `${name}.o`, name].map((file) => join(work, file)) as [
    string,
    string,
    string,
  ];
  const headers = [`usr/include/${triplet}`, 'usr/include'].flatMap((path) => ['-isystem', tools.path(path)]);
  tools.run(
    `usr/libexec/gcc/${triplet}/14/cc1`,
    [...flags, ...settings, ...headers, `${name}.c`, '-o', assembly],
    { cwd: source },
  );
  tools.run(`usr/bin/${triplet}-as`, [assembly, '-o', object]);
  const link = ['-static', '-nostdlib', '-s', '-z', 'noexecstack', '--build-id=none'];
  tools.run(`usr/bin/${triplet}-ld.bfd`, [...link, '-o', program, object]);
  return readFileSync(program);
}

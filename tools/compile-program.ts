import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CompileProgramInit {
  /** The folder of the bundle `<name>.cjs`. */
  readonly folder: string;
  readonly name: string;
  /** The program that starts a bundle with its compiled code: `rootfs/start/start-daemon.ts`, bundled. */
  readonly starter: string;
  /** The command that runs Node.js, program first. */
  readonly node: readonly string[];
  /** The flags of V8 with which the program will run. Its code is for these alone. */
  readonly v8Flags: readonly string[];
  /** The arguments of the start whose functions are compiled. Default: `--version`. */
  readonly words?: readonly string[] | undefined;
  /** The path of the program where it will run, if it is another folder. It is part of the code. */
  readonly runsAs?: string;
}

/**
 * Compiles the functions that every start of a bundle runs, and puts the program that uses them in the bundle's
 * place. The same bundle gives the same bytes.
 *
 * @returns the names of the files that are new or have changed
 * @throws Error with the output of a program that does not start
 */
export function compileProgram(init: CompileProgramInit): string[] {
  const { folder, name, starter, node, v8Flags, words = ['--version'], runsAs } = init;
  const files = [`${name}.cjs`, `${name}.program.cjs`, `${name}.code`];
  const [start, program, code] = files.map((file) => join(folder, file)) as [string, string, string];
  // It is there when the bundle was compiled before, for another path.
  if (!existsSync(program)) writeFileSync(program, wrapped(readFileSync(start)));
  copyFileSync(starter, start);
  const [file = '', ...rest] = [
    ...node,
    // The hashes of strings are part of the code, and threads of V8 may compile more or less until the program ends. These
    // two do not count as flags when the code is read.
    ...['--random-seed=1', '--predictable', ...v8Flags, start, ...words],
  ];
  const env = { WRITE_CODE_TO: code, COMPILE_AS: runsAs ?? program };
  execFileSync(file, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return files;
}

/** The wrapper of Node.js for such modules. A start that added it would copy the whole program. */
const wrapped = (program: Buffer) =>
  Buffer.concat([
    Buffer.from('(function (exports, require, module, __filename, __dirname) {'),
    program,
    Buffer.from('\n})'),
  ]);

import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CompileProgramInit {
  /** The folder of the bundle `<name>.cjs`. */
  readonly folder: string;
  readonly name: string;
  /** Further parts of the program, which are bundles `<part>.cjs` in the same folder. Default: none. */
  readonly parts?: readonly string[];
  /** The program that starts a bundle with its compiled code: `rootfs/start/start-daemon.ts`, bundled. */
  readonly starter: string;
  /** The command that runs Node.js, program first. */
  readonly node: readonly string[];
  /** The flags of V8 with which the program will run. Its code is for these alone. */
  readonly v8Flags: readonly string[];
  /**
   * The arguments of the starts whose functions are compiled. The code of each part is that of the first start that loads
   * it. Default: one start with `--version`.
   */
  readonly starts?: readonly (readonly string[])[] | undefined;
  /** Compiles all functions, not only those that run in a start. Default: `false`. */
  readonly compilesAll?: boolean | undefined;
  /** The folder of the program where it will run, if it is another one. It is part of the code. */
  readonly runsIn?: string;
}

/**
 * Compiles the functions that every start of a bundle runs, and puts the program that uses them in the bundle's
 * place. The same bundle gives the same bytes.
 *
 * @returns the names of the files that are new or have changed
 * @throws Error with the output of a program that does not start, or the name of a part that no start has loaded
 */
export function compileProgram(init: CompileProgramInit): string[] {
  const { folder, name, parts = [], starter, node, v8Flags, starts = [['--version']] } = init;
  const start = `${name}.cjs`;
  const files = [start];
  for (const part of [name, ...parts]) {
    const [bundle, program, code] = [`${part}.cjs`, `${part}.program.cjs`, `${part}.code`] as const;
    const path = join(folder, program);
    // It is there when the bundle was compiled before, for another path.
    if (!existsSync(path)) {
      writeFileSync(path, wrapped(readFileSync(join(folder, bundle))));
      rmSync(join(folder, bundle));
    }
    rmSync(join(folder, code), { force: true });
    files.push(program, code);
  }
  copyFileSync(starter, join(folder, start));
  const [file = '', ...nodeArguments] = node;
  const args = [
    ...nodeArguments,
    // The hashes of strings are part of the code, and threads of V8 may compile more or less until the program ends. These
    // two do not count as flags when the code is read.
    ...['--random-seed=1', '--predictable', ...v8Flags, join(folder, start)],
  ];
  const env = {
    WRITES_CODE: init.compilesAll === true ? 'all' : 'start',
    COMPILES_FOR: init.runsIn ?? folder,
  };
  for (const words of starts) {
    execFileSync(file, [...args, ...words], {
      ...{ env, timeout: startTimeoutMs },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
  const missing = files.find((path) => !existsSync(join(folder, path)));
  if (missing !== undefined) throw new Error(`no start of ${name} has made ${missing}`);
  return files;
}

/** A start takes seconds, also on a busy machine. */
const startTimeoutMs = 120_000;

/** The wrapper of Node.js for such modules. A start that added it would copy the whole program. */
const wrapped = (program: Buffer) =>
  Buffer.concat([
    Buffer.from('(function (exports, require, module, __filename, __dirname) {'),
    program,
    Buffer.from('\n})'),
  ]);

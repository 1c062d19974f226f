import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Rehearsal } from './open-rehearsal.ts';

/**
 * How long a daemon serves before it is stopped, in milliseconds: timers of the start run out, and the daemon does not yet
 * discard the code of its start.
 */
const servesMs = 500;
/** After this time, a program that neither serves nor ends is killed, in milliseconds. */
const longestRehearsalMs = 120_000;

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
  /** The start whose functions are compiled. */
  readonly rehearsal: Rehearsal;
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
export async function compileProgram(init: CompileProgramInit): Promise<string[]> {
  const { folder, name, starter, node, v8Flags, rehearsal, runsAs } = init;
  const files = [`${name}.cjs`, `${name}.program.cjs`, `${name}.code`];
  const [start, program, code] = files.map((file) => join(folder, file)) as [string, string, string];
  // It is there when the bundle was compiled before, for another path.
  if (!existsSync(program)) writeFileSync(program, wrapped(readFileSync(start)));
  copyFileSync(starter, start);
  const [file = '', ...rest] = [
    ...node,
    // The hashes of strings are part of the code, and threads of V8 may compile more or less until the program ends. These
    // two do not count as flags when the code is read.
    ...['--random-seed=1', '--predictable', ...v8Flags, start, ...rehearsal.words],
  ];
  await rehearse(file, rest, { WRITE_CODE_TO: code, COMPILE_AS: runsAs ?? program }, rehearsal.servesWith);
  return files;
}

/** @throws Error with the output of a program that does not start or end as expected */
async function rehearse(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  servesWith: string | undefined,
): Promise<void> {
  const child = spawn(file, args, {
    ...{ env, stdio: ['ignore', 'pipe', 'pipe'] },
    ...{ timeout: longestRehearsalMs, killSignal: 'SIGKILL' },
  });
  const errors = text(child.stderr);
  let log = '';
  let isServing = false;
  child.stdout.on('data', (bytes: Buffer) => {
    log += bytes.toString('latin1');
    if (isServing || servesWith === undefined || !log.includes(servesWith)) return;
    isServing = true;
    void sleep(servesMs).then(() => child.kill('SIGTERM'));
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${log}${await errors}`);
}

/** The wrapper of Node.js for such modules. A start that added it would copy the whole program. */
const wrapped = (program: Buffer) =>
  Buffer.concat([
    Buffer.from('(function (exports, require, module, __filename, __dirname) {'),
    program,
    Buffer.from('\n})'),
  ]);

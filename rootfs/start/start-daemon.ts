// What `<name>.cjs` of some bundles runs, and of every daemon in the image: the program beside it, whose functions were
// compiled when it was built. Compiling them takes the larger half of the time that a daemon needs to load.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

/** Whether to report that the code cannot be used; replaced in a bundle. */
declare const REPORTS_SLOW_START: boolean | undefined;

const program = __filename.replace(/\.cjs$/, '.program.cjs');
const code = __filename.replace(/\.cjs$/, '.code');
/** Set when the program is built: the code is written there and not read. */
const target = process.env.WRITE_CODE_TO;
/** The code contains the path of its program, which is another one while it is built. */
const filename = process.env.COMPILE_AS ?? program;

// Node.js warns about the loader below at the first import, and nobody who reads that can do anything about it.
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  if (!String(warning).includes('USE_MAIN_CONTEXT_DEFAULT_LOADER'))
    Reflect.apply(emitWarning, process, [warning, ...rest]);
};

// Bundles are ASCII, which is read fastest as Latin-1. The program is already in the wrapper of Node.js for such modules.
const script = new Script(readFileSync(program, 'latin1'), {
  filename,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  ...(target === undefined ? { cachedData: readFileSync(code) } : {}),
});
if (script.cachedDataRejected && (typeof REPORTS_SLOW_START === 'undefined' || REPORTS_SLOW_START))
  process.stderr.write(`${code} is for another Node.js or other flags of V8: the start is slow\n`);
// Only the functions that have run until then are compiled.
if (target !== undefined) process.on('exit', () => writeFileSync(target, script.createCachedData()));
const module = { exports: {} };
script
  .runInThisContext()
  .call(module.exports, module.exports, createRequire(program), module, program, dirname(program));

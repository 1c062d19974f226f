// What `<name>.cjs` of some bundles runs, and of every daemon in the image: the program beside it, whose functions were
// compiled when it was built. Compiling them takes the larger half of the time that a daemon needs to load.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import { constants, Script } from 'node:vm';

/** Whether to report that the code cannot be used; replaced in a bundle. */
declare const REPORTS_SLOW_START: boolean | undefined;

interface Part {
  exports: unknown;
}

const folder = dirname(__filename);
/** Set when the program is built, to `all` or `start` functions: code that does not exist yet is written at the end. */
const { WRITES_CODE: compiles } = process.env;
/** The code contains the path of its program, which is in another folder while it is built. */
const compiledIn = process.env.COMPILES_FOR ?? folder;
const parts = new Map<string, Part>();

// Node.js warns about the loader below at the first import, and nobody who reads that can do anything about it.
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  if (!String(warning).includes('USE_MAIN_CONTEXT_DEFAULT_LOADER'))
    Reflect.apply(emitWarning, process, [warning, ...rest]);
};

/** No start but that of a build needs the module. */
const setV8Flag = (flag: string) => process.getBuiltinModule('node:v8').setFlagsFromString(flag);

/** Runs a part of the program once, and returns its exports. The parts load each other as `part:<name>`. */
function loadPart(name: string): unknown {
  const loaded = parts.get(name);
  if (loaded !== undefined) return loaded.exports;
  const [program, code] = [`${folder}/${name}.program.cjs`, `${folder}/${name}.code`];
  const isCompiled = compiles === undefined || existsSync(code);
  // The code would be for programs with this flag alone if the flag stayed.
  if (!isCompiled && compiles === 'all') setV8Flag('--no-lazy');
  // Bundles are ASCII, which is read fastest as Latin-1. The program is already in the wrapper of Node.js for such modules.
  const script = new Script(readFileSync(program, 'latin1'), {
    filename: `${compiledIn}/${name}.program.cjs`,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(isCompiled ? { cachedData: readFileSync(code) } : {}),
  });
  if (script.cachedDataRejected && (typeof REPORTS_SLOW_START === 'undefined' || REPORTS_SLOW_START))
    process.stderr.write(`${code} is for another Node.js or other flags of V8: the start is slow\n`);
  if (!isCompiled) {
    setV8Flag('--lazy');
    // Except with that flag, only the functions that have run until then are compiled.
    process.on('exit', () => writeFileSync(code, script.createCachedData()));
  }
  const part: Part = { exports: {} };
  parts.set(name, part);
  const requireFile = createRequire(program);
  const require = Object.assign(
    (path: string): unknown => (path.startsWith('part:') ? loadPart(path.slice(5)) : requireFile(path)),
    requireFile,
  );
  script.runInThisContext().call(part.exports, part.exports, require, part, program, folder);
  return part.exports;
}

loadPart(basename(__filename, '.cjs'));

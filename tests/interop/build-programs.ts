// Builds the programs that are named as arguments, so that no test waits for a build.
import { ensureOutsideProgram, type OutsideProgramName, outsidePrograms } from './go-programs.ts';

try {
  for (const name of process.argv.slice(2)) {
    if (!Object.hasOwn(outsidePrograms, name)) throw new Error(`there is no program ${name}`);
    ensureOutsideProgram(name as OutsideProgramName);
  }
} catch (error) {
  process.stderr.write(`interop: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

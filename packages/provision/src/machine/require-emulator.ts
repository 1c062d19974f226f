import { spawnSync } from 'node:child_process';
import { Fault } from '@nodewright/fault';
import { emulatorMissing, emulatorProgram } from './emulator-options.ts';

/** Throws a Fault `failed-precondition` that names the package when the emulator is not installed. */
export function requireEmulator(): void {
  if (spawnSync(emulatorProgram, ['--version'], { stdio: 'ignore' }).status === 0) return;
  throw new Fault('failed-precondition', emulatorMissing);
}

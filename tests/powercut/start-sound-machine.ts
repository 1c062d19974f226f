import { type Machine, type MachineInit, startMachine } from '../boot/machine.ts';

const attempts = 3;
const timeoutMs = 240_000;
const begun = /Run \/init as init process/;
const crashed = /Kernel panic/;

/**
 * Starts a machine whose kernel reaches the init. QEMU 7.2 runs stale code now and then while the kernel changes its own
 * (`Oops: int3`), and a kernel that panics before the init has not read the disk: it says nothing about it. Such a start is
 * repeated; a crash after it counts.
 */
export async function startSoundMachine(init: MachineInit): Promise<Machine> {
  for (let attempt = 1; ; attempt += 1) {
    const machine = await startMachine(init);
    try {
      await machine.shows(new RegExp(`${begun.source}|${crashed.source}`), timeoutMs);
      if (begun.test(machine.console())) return machine;
      if (attempt === attempts)
        throw new Error(`the kernel does not reach the init:\n${machine.console().slice(-4000)}`);
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
    await machine[Symbol.asyncDispose]();
  }
}

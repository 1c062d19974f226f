// `make boot`: runs the image in a virtual machine. Its console is this terminal, and a file; Ctrl-A X ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nativeArchitecture } from '@nodewright/build';
import {
  chooseAccelerator,
  emulatorMissing,
  emulatorProgram,
  guestNetwork,
  kernelBoot,
  machineHardware,
  makeMachineDisk,
} from '@nodewright/provision/machine';
import { runBuild } from './workshop.ts';

const apiPort = 50_000;
/** Room for EPHEMERAL, which needs 2 GiB. The file takes only what the machine writes. */
const diskBytes = 8 * 2 ** 30;

async function main(output: string): Promise<void> {
  const folder = join(output, 'image');
  const disk = join(output, 'machine', 'disk.raw');
  if (nativeArchitecture() !== 'amd64') throw new Error('only machines of x86-64 can be emulated so far');
  if (!existsSync(join(folder, 'disk.raw'))) throw new Error('there is no disk image: run make image');
  const isNew = !existsSync(disk);
  if (isNew) {
    mkdirSync(dirname(disk), { recursive: true });
    makeMachineDisk(join(folder, 'disk.raw'), disk, diskBytes);
  }
  const { accelerator, reason } = await chooseAccelerator();
  const console = join(output, 'machine', 'console.log');
  const commandLine = readFileSync(join(folder, 'cmdline.txt'), 'utf8').trim();
  process.stdout.write(
    `boot: ${isNew ? 'a new machine' : 'the machine of the last start (remove its disk for a new one)'}, disk ${disk}\n` +
      `boot: API on 127.0.0.1:${apiPort} (talosctl -n 127.0.0.1 version --insecure); Ctrl-A X ends the machine\n` +
      `boot: console also in ${console}\n${reason === undefined ? '' : `boot: without KVM, ten times slower: ${reason}\n`}`,
  );
  const words = [
    ...machineHardware({ disk, keepsDisk: true, apiPort, accelerator }),
    ...kernelBoot(folder, `${commandLine} ${guestNetwork}`),
    ...['-chardev', `stdio,id=console,mux=on,signal=off,logfile=${console.replaceAll(',', ',,')}`],
    ...['-serial', 'chardev:console', '-mon', 'chardev=console'],
  ];
  const child = spawn(emulatorProgram, words, { stdio: 'inherit' });
  const missing = new Promise<never>((_, reject) => {
    child.once('error', () => reject(new Error(emulatorMissing)));
  });
  await Promise.race([once(child, 'exit'), missing]);
}

await runBuild('boot', () => main(join(import.meta.dirname, '..', '_out')));

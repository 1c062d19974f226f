// `make boot`: runs the image in an emulated machine. Its console is this terminal; Ctrl-A X ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nativeArchitecture } from '../tools/images/architecture.ts';
import { guestNetwork, kernelBoot, machineHardware } from './machine/emulator-options.ts';
import { makeMachineDisk } from './machine/machine-disk.ts';
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
  const commandLine = readFileSync(join(folder, 'cmdline.txt'), 'utf8').trim();
  process.stdout.write(
    `boot: ${isNew ? 'a new machine' : 'the machine of the last start (remove its disk for a new one)'}, disk ${disk}\n` +
      `boot: API on 127.0.0.1:${apiPort} (talosctl -n 127.0.0.1 version --insecure); Ctrl-A X ends the machine\n`,
  );
  const words = [
    ...machineHardware({ disk, keepsDisk: true, apiPort }),
    ...kernelBoot(folder, `${commandLine} ${guestNetwork}`),
    ...['-serial', 'mon:stdio'],
  ];
  const child = spawn('qemu-system-x86_64', words, { stdio: 'inherit' });
  const missing = new Promise<never>((_, reject) => {
    child.once('error', () => reject(new Error('qemu-system-x86_64 is missing: install qemu-system-x86')));
  });
  await Promise.race([once(child, 'exit'), missing]);
}

await runBuild('boot', () => main(join(import.meta.dirname, '..', '_out')));

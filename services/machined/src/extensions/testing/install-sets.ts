// A program for tests: a machine whose partition BOOT is a folder. It installs the files that it is given, one after the other, and says so.

import { X509Certificate } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { createExtensionSets } from '../host/extension-sets.ts';

/** For each file one line: the root hash of its set, or why it was refused. */
export interface InstalledLine {
  readonly installed?: string;
  readonly kind?: string;
  readonly message?: string;
}

const [slot = '', memory = '', ...archives] = process.argv.slice(2);
const sets = createExtensionSets({
  boot: { read: (use) => use(slot), write: (use) => use(slot, () => {}) },
  certificates: async () => [new X509Certificate(readFileSync(join(slot, 'certificate.pem')))],
  imageRootHash: 'a'.repeat(64),
  ...{ running: '', received: join(memory, 'received'), log: { info() {}, warn() {}, error() {} } },
  awaitSoundStart: async () => true,
});
const say = (line: InstalledLine) => process.stdout.write(`${JSON.stringify(line)}\n`);

await sets.settle();
for (const archive of archives) {
  try {
    const { rootHash } = await sets.install(createReadStream(archive) as AsyncIterable<Uint8Array>);
    say({ installed: rootHash });
  } catch (error) {
    const { kind, message } = faultFrom(error);
    say({ kind, message });
  }
}

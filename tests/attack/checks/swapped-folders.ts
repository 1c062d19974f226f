import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { ReadRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { messagePrefix } from '@nodewright/h2';
import { temporaryFolder } from '../target/open-target.ts';
import { Caller } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const reads = 2_000;
const lanes = 8;
const outside = 'outside of the node';
const inside = 'inside of the node';

export const swappedFolders: AttackCheck = {
  name: 'swapped-folders',
  what: `${reads.toLocaleString('en')} reads while a folder of the node is swapped with a link that leads out of it`,
  async run({ target }) {
    using host = temporaryFolder();
    writeFileSync(join(host.path, 'file'), outside);
    const work = join(target.entry.root, 'var', 'attack');
    mkdirSync(join(work, 'folder'), { recursive: true });
    writeFileSync(join(work, 'folder', 'file'), inside);
    symlinkSync(host.path, join(work, 'link'));
    using caller = await Caller.open(
      { host: target.entry.address, port: ports.apid },
      target.certificates.admin,
    );
    const message = ReadRequest.encode(ReadRequest.create({ path: '/var/attack/folder/file' })).finish();
    const body = Buffer.concat([messagePrefix(message.length), message]);
    const found = { outside: 0, inside: 0, refused: 0 };
    let begun = 0;
    let isOver = false;
    const swapping = (async () => {
      for (; !isOver; await turn()) swap(work);
    })();
    const lane = async () => {
      while (begun < reads) {
        begun += 1;
        const answer = await caller.call({ path: '/machine.MachineService/Read', body });
        const text = answer.body.toString('latin1');
        if (text.includes(outside)) found.outside += 1;
        else if (text.includes(inside)) found.inside += 1;
        else found.refused += 1;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    isOver = true;
    await swapping;
    return {
      summary: `${found.inside} inside, ${found.refused} refused, ${found.outside} outside`,
      problems: [
        ...(found.outside > 0 ? [`${found.outside} reads gave a file of the host`] : []),
        ...(found.inside === 0 ? ['no read gave the file of the node: nothing was shown'] : []),
      ],
    };
  },
};

/** Replaces the folder by the link, and back. */
function swap(work: string): void {
  const at = (name: string) => join(work, name);
  renameSync(at('folder'), at('away'));
  renameSync(at('link'), at('folder'));
  renameSync(at('folder'), at('link'));
  renameSync(at('away'), at('folder'));
}

import { rm } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { receiveArchive } from '../../extensions/host/receive-archive.ts';
import type { ReceivedSet } from '../domain/received-set.ts';

/** In memory, and only root can read it: nothing of a set is written to the disk before all of it was verified. */
const receivedFile = '/system/run/upgrade/extension-set';

/** Keeps the set of extensions of an upgrade while it runs. One upgrade at a time uses it. */
export const createReceivedSet = (path = receivedFile): ReceivedSet => ({
  async receive(pieces) {
    await receiveArchive(pieces, path);
    return path;
  },
  remove: () => rm(path, { force: true }),
});

/** For a node without extensions: it refuses a set before it reads any of it. */
export const noReceivedSet: ReceivedSet = {
  async receive() {
    throw new Fault('failed-precondition', 'this node has no extensions: upgrade it without a set of them');
  },
  async remove() {},
};

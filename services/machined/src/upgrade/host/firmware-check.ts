import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  headerBytes,
  isSignedForFirmware,
  programKeysBytes,
  programKeysFile,
  signaturePlace,
} from '@nodewright/boot';
import { Fault, faultFrom } from '@nodewright/fault';
import type { NewSystem } from './slot-writer.ts';

/**
 * Checks that firmware with Secure Boot starts a unified kernel: it would wait for somebody at the machine otherwise.
 *
 * @param folder where efivarfs is mounted
 */
export const firmwareCheck =
  (folder: string): NonNullable<NewSystem['checkUnifiedKernel']> =>
  async (kernel, path) => {
    const keys = await readFile(join(folder, programKeysFile)).catch((error: unknown) => {
      throw new Fault(
        'failed-precondition',
        `the keys of the firmware cannot be read: ${faultFrom(error).message}`,
        {
          cause: error,
        },
      );
    });
    const place = signaturePlace((await kernel.read(path, 0, headerBytes)) ?? Buffer.alloc(0));
    const signature = place && (await kernel.read(path, place.offset, place.bytes));
    if (keys.length > programKeysBytes || !isSignedForFirmware(keys, signature))
      throw new Fault(
        'failed-precondition',
        'Secure Boot is on, and the firmware does not have the key that has signed the new system: enrol it first',
      );
  };

import { createHash } from 'node:crypto';
import { guestNetwork } from '@nodewright/provision/machine';
import { startMachine } from '../boot/machine.ts';
import { showsActiveSet } from './cut-actions.ts';
import type { TestCluster } from './test-cluster.ts';

const timeoutMs = 600_000;

export interface BootInit {
  /** The configuration that the machine must have; 0 for none. */
  readonly configuration: number;
  /** Whether a machine without a configuration is given one. */
  readonly isConfigured: boolean;
  /** The set of extensions that it must run afterwards; undefined for any. */
  readonly set?: number | undefined;
}

/**
 * Boots the ordinary image from a disk until its API answers: with this configuration, or in maintenance. The disk does not
 * change.
 *
 * @throws Error with the end of the console
 */
export async function bootImage(cluster: TestCluster, disk: string, init: BootInit): Promise<void> {
  const { succeeds, trusted, configuration } = cluster;
  await using machine = await startMachine({ disk, boot: { kind: 'kernel', words: [guestNetwork] } });
  try {
    let number = init.configuration;
    if (number === 0) {
      await succeeds(['-n', machine.api, 'version', '--insecure'], timeoutMs);
      await machine.shows(/maintenance: waiting for a machine configuration/, timeoutMs);
      if (!init.isConfigured) return;
      number = 1;
      await succeeds(['-n', machine.api, 'apply-config', '--insecure', '-f', configuration(1).path]);
    }
    const stored = await succeeds([...trusted(machine), 'read', '/system/state/config.yaml'], timeoutMs);
    const digest = createHash('sha256').update(stored).digest('hex');
    if (digest !== configuration(number).digest)
      throw new Error(`the machine does not have configuration ${number}`);
    await succeeds([...trusted(machine), 'ls', '/var/log'], timeoutMs);
    if (init.set !== undefined) await showsActiveSet(machine, cluster, init.set);
  } catch (error) {
    throw new Error(
      `${error instanceof Error ? error.message : String(error)}\n${machine.console().slice(-4000)}`,
      {
        cause: error,
      },
    );
  }
}

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseTalosconfig } from '@nodewright/client';
import { tlsPrivateKey } from '@nodewright/pki';
import { guestAddress, hostAddress } from '@nodewright/provision/machine';
import type { ApiIdentity } from './call-version.ts';
import { type ConfiguredMachine, type ConfiguredMachineInit, startConfigured } from './configured-machine.ts';

/** The emulated networks are apart, but the cluster wants one address for each node. */
export const workerAddress = '10.0.2.16';
/** Workers look for trustd at this port of the cluster's endpoint. */
const trustdPort = 50_001;

/** trustd waits for the time of a time server otherwise, and the emulated network may have none. */
const patch = { machine: { time: { disabled: true } } };

/** A control plane, and a worker that joined it. Disposing of it ends both. */
export interface MeasuredCluster extends AsyncDisposable {
  readonly controlPlane: ConfiguredMachine;
  readonly worker: ConfiguredMachine;
  /** Of the administrator. */
  readonly identity: ApiIdentity;
}

export interface MeasuredClusterInit extends Omit<ConfiguredMachineInit, 'work'> {
  /** An empty folder, which the caller removes. */
  readonly work: string;
  /** Whether the control plane has an image cache, with which registryd runs. */
  readonly hasImageCache?: boolean;
}

const imageCache = { apiVersion: 'v1alpha1', kind: 'ImageCacheConfig', local: { enabled: true } };

/**
 * Boots a control plane and a worker. A worker gets the certificate of its API from the control plane at each start.
 *
 * @throws Error when port 50001 of the loopback device is taken, or a machine does not take its configuration
 */
export async function openMeasuredCluster(init: MeasuredClusterInit): Promise<MeasuredCluster> {
  const { talosctl, work } = init;
  const scope = new AsyncDisposableStack();
  try {
    const words = [
      'gen',
      'config',
      'measured',
      `https://${hostAddress}:6443`,
      '--additional-sans',
      hostAddress,
    ];
    words.push('--config-patch', JSON.stringify(patch));
    if (init.hasImageCache === true) words.push('--config-patch-control-plane', JSON.stringify(imageCache));
    await promisify(execFile)(process.execPath, [talosctl, ...words], { cwd: work });
    const place = { role: 'controlplane', address: guestAddress, trustdPort } as const;
    const controlPlane = scope.use(await startConfigured(place, init));
    const worker = scope.use(await startConfigured({ role: 'worker', address: workerAddress }, init));
    const owned = scope.move();
    return {
      ...{ controlPlane, worker, identity: readIdentity(join(work, 'talosconfig')) },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (error) {
    await scope.disposeAsync();
    throw error;
  }
}

function readIdentity(path: string): ApiIdentity {
  const { context, contexts } = parseTalosconfig(readFileSync(path, 'utf8'), path);
  const { ca = '', crt = '', key } = contexts.get(context) ?? {};
  const text = (base64: string) => Buffer.from(base64, 'base64').toString();
  return { ca: text(ca), cert: text(crt), key: tlsPrivateKey(text(key?.reveal() ?? '')) };
}

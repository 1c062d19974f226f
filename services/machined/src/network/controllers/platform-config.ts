import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { metaKeys, platformConfigs } from '@nodewright/state/kinds';
import { type PlatformFacts, platformConfigOf } from '../domain/platform-config.ts';
import { type PlatformNetwork, parsePlatformNetwork } from '../domain/platform-network.ts';

/** The platform's settings do not change, except the name servers of the environment. */
const rereadMs = 60_000;
/** The network configuration of a machine. Source: Talos v1.14: META tags. */
const networkKey = '0x0a';

export interface PlatformConfigInit {
  /** Collects what the creator of the node has said; when it fails, it is retried. */
  readonly read: () => Promise<Omit<PlatformFacts, 'kept'>>;
  /** Whether META has a part of the configuration. */
  readonly readsMeta: boolean;
}

/**
 * The network configuration of the node's creator. That of META is followed: a write replaces all of it, and a removal clears it. On
 * purpose unlike upstream, a damaged value is logged, and what was read before stays: somebody who writes one over the network keeps the
 * connection. Source: Talos v1.14: network.PlatformConfigController.
 */
export function createPlatformConfigController({ read, readsMeta }: PlatformConfigInit): Controller {
  const kept = new KeptNetwork();
  return {
    name: 'network.PlatformConfigController',
    inputs: readsMeta ? [weak(metaKeys, networkKey)] : [],
    // Another controller owns the configuration of the last boot.
    outputs: [shared(platformConfigs)],
    async reconcile(pass) {
      const facts: PlatformFacts = { ...(await read()), kept: readsMeta ? await kept.read(pass) : undefined };
      await pass.replace(platformConfigs, [{ id: 'active', spec: platformConfigOf(facts) }]);
      pass.wakeAfter(rereadMs);
    },
  };
}

/** The last value of META that was good. */
class KeptNetwork {
  #text = '';
  #network: PlatformNetwork | undefined;

  async read(pass: ReconcilePass): Promise<PlatformNetwork | undefined> {
    const text = (await pass.get(pointerTo(metaKeys, networkKey)))?.spec.value ?? '';
    if (text === this.#text) return this.#network;
    this.#text = text;
    try {
      this.#network = text === '' ? undefined : parsePlatformNetwork(text);
    } catch (error) {
      pass.log.error(
        { key: networkKey, error: faultFrom(error).message },
        'the network configuration in META is damaged, and is ignored',
      );
    }
    return this.#network;
  }
}

// A network as machines find it, in a namespace of its own: a bridge that has the addresses of the resolvers that a configuration
// without any leaves as defaults, a name server that gives its address for every name, and a time server, which reads the clock of
// this host and never sets it. Nothing of it is in the host's network, and it ends with the process.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { enterOwnNamespace, ip } from '@nodewright/linux/testing';
import { createSntpServer, ntpPort } from '@nodewright/sntp';
import { openNameServer } from './name-server.ts';

/** Source: Talos v1.14: network defaults, resolvers. */
const defaultResolvers = ['1.1.1.1', '8.8.8.8'] as const;
const bridge = 'lan0';
const gateway = '10.5.0.1';
const netmask = '255.255.255.0';

/** Why this machine cannot have such a network; false when it can. */
export const noPlainNetwork: string | false = reasonForNone();

function reasonForNone(): string | false {
  try {
    closeSync(openSync('/dev/net/tun', 'r+'));
  } catch {
    return 'tap devices need /dev/net/tun and root';
  }
  const { status } = spawnSync('unshare', ['--net', 'ip', 'link', 'add', bridge, 'type', 'bridge']);
  return status === 0 ? false : 'a network namespace with a bridge needs root, unshare and ip (iproute2)';
}

export interface PlainNetwork extends AsyncDisposable {
  /** Adds a machine, and says how it is connected. */
  connect(): Connection;
}

export interface Connection {
  readonly tapDevice: string;
  readonly address: string;
  /** The word of the kernel's command line that gives the machine its address. */
  readonly word: string;
}

/** Moves this process, and all programs that it starts later, into the namespace of the network. */
export async function openPlainNetwork(): Promise<PlainNetwork> {
  enterOwnNamespace();
  ip(`link add ${bridge} type bridge`);
  ip(`address add ${gateway}/24 dev ${bridge}`);
  for (const address of defaultResolvers) ip(`address add ${address}/32 dev ${bridge}`);
  ip(`link set ${bridge} up`);
  await using scope = new AsyncDisposableStack();
  for (const address of defaultResolvers) scope.use(await openNameServer(address, gateway));
  scope.use(await createSntpServer({ address: gateway, port: ntpPort }));
  const kept = scope.move();
  let machines = 0;
  return {
    connect() {
      machines += 1;
      const tapDevice = `tap${machines}`;
      const address = `10.5.0.${machines + 1}`;
      ip(`tuntap add dev ${tapDevice} mode tap`);
      ip(`link set ${tapDevice} master ${bridge} up`);
      return { tapDevice, address, word: `ip=${address}::${gateway}:${netmask}::eth0:off` };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

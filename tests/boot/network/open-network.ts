// A network as machines find it, in a namespace of its own: a bridge with dnsmasq as its DHCP server, a name server that gives one address
// for every name, and a time server, which reads the clock of this host and never sets it. Nothing of it is in the host's network, and it
// ends with the process.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enterOwnNamespace, ip } from '@nodewright/linux/testing';
import { hardwareAddress } from '@nodewright/provision/machine';
import { createSntpServer, ntpPort } from '@nodewright/sntp';
import { eventually } from '@nodewright/testkit';
import { end } from '../../network/open-lan.ts';
import { noMachine } from '../machine.ts';
import { openNameServer } from '../plain/name-server.ts';
import { noPlainNetwork } from '../plain/plain-network.ts';

const bridge = 'lan0';
export const gateway = '10.5.0.1';

/** Why such machines cannot be started here; false when they can. */
export const skip: string | false =
  noMachine || noPlainNetwork || (spawnSync('dnsmasq', ['--version']).status === 0 ? false : lacksServer());

function lacksServer(): string {
  return 'the DHCP server of this test is dnsmasq (Debian: dnsmasq-base)';
}

export interface DhcpServer extends AsyncDisposable {
  /** What it has written. */
  text(): string;
}

export interface MachineNetwork extends AsyncDisposable {
  /** Adds a machine, which gets its address from the DHCP server. */
  connect(networkDevice?: string): Connection;
  /** Adds tap devices, each with nothing at its other end. @returns their names */
  openTaps(count: number): string[];
  /** Starts the DHCP server. @param lease such as `60s` */
  serve(lease: string): Promise<DhcpServer>;
}

export interface Connection {
  readonly tapDevice: string;
  readonly address: string;
  readonly networkDevice?: string;
}

/** Moves this process, and all programs that it starts later, into the namespace of the network. */
export async function openMachineNetwork(): Promise<MachineNetwork> {
  enterOwnNamespace();
  ip(`link add ${bridge} type bridge`);
  ip(`address add ${gateway}/24 dev ${bridge}`);
  ip(`link set ${bridge} up`);
  await using scope = new AsyncDisposableStack();
  const folder = scope.adopt(mkdtempSync(join(tmpdir(), 'dhcp-')), (path) =>
    rmSync(path, { recursive: true }),
  );
  scope.use(await openNameServer(gateway, gateway));
  scope.use(await createSntpServer({ address: gateway, port: ntpPort }));
  const kept = scope.move();
  const hosts: string[] = [];
  return {
    connect(networkDevice) {
      const number = hosts.length + 2;
      const address = `10.5.0.${number}`;
      const tapDevice = `tap${number}`;
      hosts.push(`--dhcp-host=${hardwareAddress(address)},${address}`);
      ip(`tuntap add dev ${tapDevice} mode tap`);
      ip(`link set ${tapDevice} master ${bridge} up`);
      return { tapDevice, address, ...(networkDevice && { networkDevice }) };
    },
    openTaps(count) {
      return Array.from({ length: count }, (_, index) => {
        const name = `lone${index + 1}`;
        ip(`tuntap add dev ${name} mode tap`);
        ip(`link set ${name} up`);
        return name;
      });
    },
    async serve(lease) {
      const child = spawn(
        'dnsmasq',
        [
          ...[
            '--no-daemon',
            '--conf-file=/dev/null',
            `--interface=${bridge}`,
            '--bind-interfaces',
            '--port=0',
          ],
          ...['--user=root', '--no-ping', '--log-facility=-', '--log-dhcp', '--dhcp-authoritative'],
          `--dhcp-leasefile=${join(folder, 'leases')}`,
          // Only machines that are named get an address.
          ...[`--dhcp-range=10.5.0.0,static,255.255.255.0,${lease}`, ...hosts],
          ...[`--dhcp-option=option:router,${gateway}`, `--dhcp-option=option:dns-server,${gateway}`],
          `--dhcp-option=option:ntp-server,${gateway}`,
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      );
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data: Buffer) => {
          text += data.toString();
        });
      await eventually(() => text.includes(`sockets bound exclusively to interface ${bridge}`), {
        ...{ what: 'dnsmasq', explain: () => text },
      });
      return { text: () => text, [Symbol.asyncDispose]: () => end(child) };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

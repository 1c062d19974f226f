import type { Timers } from '@nodewright/async';
import type { LinkStatusSpec, OperatorSpecSpec } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { canCarry, isSameDevice, mostDhcpClients, reasonAgainstDhcp } from '../domain/dhcp-links.ts';
import { dhcpOutput, dhcpSettings, type GivenSetting, nameToTell } from '../domain/dhcp-specs.ts';
import type { NetworkOperator, NetworkProblem, OperatorEvents, OperatorOutput } from '../domain/operator.ts';
import { ChangeListener } from './change-listener.ts';
import type { DhcpLeases } from './dhcp-leases.ts';
import { DhcpLink } from './dhcp-link.ts';
import type { OpenDhcpWire } from './dhcp-wire.ts';

export interface DhcpOperatorInit {
  readonly openWire: OpenDhcpWire;
  readonly leases: DhcpLeases;
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  readonly random: () => number;
  /** Whether the kernel's command line gives the link an address: then it gets none by default. */
  readonly isTaken: (linkName: string) => boolean;
  /** What it says already, which a link that asks by default does not take from its server. */
  readonly given: () => ReadonlySet<GivenSetting>;
  readonly log: Logger;
}

interface Running {
  readonly spec: OperatorSpecSpec;
  /** The specification that the client began with. */
  readonly started: OperatorSpecSpec;
  /** Undefined while the link is missing, or is not one that DHCP can run on. */
  readonly client: DhcpLink | undefined;
  readonly problem: string | undefined;
}

/** DHCP for IPv4 on the links that a specification names. When it is disposed of, the clients end. */
export class DhcpOperator implements NetworkOperator, Disposable {
  readonly #init: DhcpOperatorInit;
  readonly #running = new Map<string, Running>();
  readonly #listener = new ChangeListener();

  constructor(init: DhcpOperatorInit) {
    this.#init = init;
  }

  watch(onChange: () => void): Disposable {
    return this.#listener.watch(onChange);
  }

  react({ operators, links, hostname }: Pick<OperatorEvents, 'operators' | 'links' | 'hostname'>): void {
    const wanted = new Map(
      operators
        .filter(({ operator }) => operator === 'dhcp4')
        .filter(({ layer, linkName }) => layer !== 'default' || !this.#init.isTaken(linkName))
        .slice(0, mostDhcpClients)
        .map((spec) => [spec.linkName, spec]),
    );
    for (const [name, running] of this.#running)
      if (!wanted.has(name)) {
        running.client?.[Symbol.dispose]();
        this.#running.delete(name);
      }
    for (const [name, spec] of wanted) this.#adopt(name, spec, links.get(name));
    // Without a lease nothing is known of the name that the server gives.
    for (const { spec, client } of this.#running.values())
      if (client?.lease() !== undefined) client.tellName(nameToTell(hostname, this.#usedName(spec, client)));
  }

  /** Whether a link asks for an address. */
  isRunning(): boolean {
    return this.#running.size > 0;
  }

  outputs(): readonly OperatorOutput[] {
    return [...this.#running].map(([name, { spec, client }]) => {
      const lease = client?.lease();
      return dhcpOutput(name, spec.dhcp4, {
        lease: lease && client && { ...lease, hostname: this.#usedName(spec, client) },
        ...{ hasCarrier: client?.hasCarrier === true, given: this.#givenBeside(spec) },
      });
    });
  }

  problems(): readonly NetworkProblem[] {
    return [...this.#running.values()].flatMap(({ spec, client, problem }) => {
      const line = problem ?? client?.problem();
      const subject = spec.layer === 'default' ? 'no-request' : 'addresses';
      return line === undefined ? [] : [{ subject, line }];
    });
  }

  [Symbol.dispose](): void {
    for (const { client } of this.#running.values()) client?.[Symbol.dispose]();
    this.#running.clear();
  }

  /** A server that nobody told the machine to ask replaces nothing that the command line says. */
  #givenBeside({ layer }: OperatorSpecSpec): ReadonlySet<GivenSetting> {
    return layer === 'default' ? this.#init.given() : new Set();
  }

  /** The name that the server has given, unless it is ignored, or the server was told one. */
  #usedName(spec: OperatorSpecSpec, client: DhcpLink): string | undefined {
    const isIgnored = spec.dhcp4.skipHostnameRequest || this.#givenBeside(spec).has('hostname');
    return isIgnored || client.toldName !== undefined ? undefined : client.lease()?.hostname;
  }

  #adopt(name: string, spec: OperatorSpecSpec, link: LinkStatusSpec | undefined): void {
    const running = this.#running.get(name);
    const isSame =
      running?.client !== undefined &&
      canGoOn(running.started, spec, running.client.lease() !== undefined) &&
      isSameDevice(running.client.link, link);
    if (isSame) {
      this.#running.set(name, { ...running, spec });
      if (link !== undefined) running.client.setUp(canCarry(link));
      return;
    }
    running?.client?.[Symbol.dispose]();
    const reason = reasonAgainstDhcp(link);
    if (link === undefined || reason !== undefined) {
      const problem = `DHCP on ${name}: ${reason}`;
      this.#running.set(name, { spec, started: spec, client: undefined, problem });
      return;
    }
    const { openWire, leases, timers, random, log } = this.#init;
    const { index, hardwareAddr: hardware } = link;
    const client = new DhcpLink({
      ...{ link: { name, index, hardware }, settings: dhcpSettings(hardware, spec.dhcp4) },
      ...{ openWire, leases, timers, random, log, onChange: () => this.#listener.changed() },
    });
    this.#running.set(name, { spec, started: spec, client, problem: undefined });
    client.setUp(canCarry(link));
  }
}

/**
 * Whether a client goes on under another specification. One with a lease does so when the id of it is the hardware address before and
 * after, with and without an option for it: a working machine keeps its address with the first configuration that names its link. The
 * other id is used when the lease has ended, because a lease belongs to the id that asked for it. Source: RFC 2131, section 4.2.
 */
function canGoOn(started: OperatorSpecSpec, next: OperatorSpecSpec, hasLease: boolean): boolean {
  const idOf = ({ dhcp4: { clientIdentifier } }: OperatorSpecSpec) =>
    hasLease && clientIdentifier.clientIdentifier !== 'duid' ? 'hardware' : clientIdentifier;
  const settingsOf = (spec: OperatorSpecSpec) => JSON.stringify([idOf(spec), spec.dhcp4.skipHostnameRequest]);
  return settingsOf(started) === settingsOf(next);
}

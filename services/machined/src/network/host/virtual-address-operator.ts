import { serviceIds } from '@nodewright/contract';
import type { OperatorSpecSpec } from '@nodewright/state/kinds';
import type { NetworkOperator, OperatorEvents, OperatorOutput } from '../domain/operator.ts';
import { isElected, obstacleToOwnership, virtualAddressSpec } from '../domain/virtual-address.ts';
import type { VirtualAddresses, WantedAddress } from './virtual-addresses.ts';

export interface VirtualAddressOperatorInit {
  /** What competes for virtual addresses; on a node that cannot have any, the reason. */
  readonly virtual: VirtualAddresses | string;
  /** Whether the node runs a kubelet, which then must run for the node to have a virtual address. */
  readonly hasKubelet: boolean;
}

/** The operators of virtual addresses. Their specifications are the addresses that this node has now. */
export class VirtualAddressOperator implements NetworkOperator {
  readonly #init: VirtualAddressOperatorInit;
  readonly #said = new Map<string, string>();

  constructor(init: VirtualAddressOperatorInit) {
    this.#init = init;
  }

  watch(onChange: () => void): Disposable {
    const { virtual } = this.#init;
    return typeof virtual === 'string' ? { [Symbol.dispose]: () => {} } : virtual.watch(onChange);
  }

  react(events: OperatorEvents): void {
    const { virtual } = this.#init;
    const { log } = events;
    const vips = events.operators.filter(({ operator }) => operator === 'vip');
    const refuse = ({ vip: { ip } }: OperatorSpecSpec, reason: string) =>
      this.#say(ip, `this node does not take the virtual address ${ip}: ${reason}`, (line) => log.warn(line));
    for (const spec of vips)
      if (!isElected(spec)) refuse(spec, 'moving it by the API of a cloud is not implemented');
      else if (typeof virtual === 'string') refuse(spec, virtual);
    if (typeof virtual === 'string') return;
    const wanted = vips.filter(isElected).map((spec) => this.#wanted(spec, events));
    for (const { ip, linkName, obstacle } of wanted) {
      const place = `${ip} on ${linkName}`;
      const line =
        obstacle === undefined
          ? `this node competes for the virtual address ${place}`
          : `this node does not compete (${obstacle}) for the virtual address ${place}`;
      this.#say(`${linkName}/${ip}`, line, (text) => log.info(text));
    }
    virtual.adopt(wanted);
  }

  outputs(): readonly OperatorOutput[] {
    const { virtual } = this.#init;
    if (typeof virtual === 'string') return [];
    const owned = virtual.owned();
    return [...new Set(owned.map(({ linkName }) => linkName))].map((name) => ({
      prefix: `vip/${name}`,
      addresses: owned.filter(({ linkName }) => linkName === name).map(virtualAddressSpec),
    }));
  }

  /** A node without a virtual address lacks nothing: another node has it. */
  problems(): readonly never[] {
    return [];
  }

  #wanted({ vip: { ip }, linkName }: OperatorSpecSpec, { links, services }: OperatorEvents): WantedAddress {
    const obstacle = obstacleToOwnership({
      link: links.get(linkName),
      etcd: services.get(serviceIds.etcd),
      kubelet: this.#init.hasKubelet ? services.get(serviceIds.kubelet) : 'none',
    });
    return { ip, linkName, obstacle };
  }

  /** One line for each change of what this node does about an address. */
  #say(key: string, line: string, write: (line: string) => void): void {
    if (this.#said.get(key) === line) return;
    this.#said.set(key, line);
    write(line);
  }
}

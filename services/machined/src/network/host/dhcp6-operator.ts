import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { KernelAddress } from '@nodewright/linux';
import type { LinkStatusSpec, OperatorSpecSpec } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { canCarry, isSameDevice, mostDhcpClients, reasonAgainstDhcp } from '../domain/dhcp-links.ts';
import { dhcp6Output, dhcp6Settings } from '../domain/dhcp6-specs.ts';
import type { NetworkOperator, NetworkProblem, OperatorEvents, OperatorOutput } from '../domain/operator.ts';
import { ChangeListener } from './change-listener.ts';
import { Dhcp6Link } from './dhcp6-link.ts';
import type { OpenDhcp6Wire } from './dhcp6-wire.ts';
import { LimitedLines } from './limited-lines.ts';

/** The addresses of the kernel. */
export interface AddressSource {
  addresses(): readonly KernelAddress[];
  /** Calls `onChange` after each change. The caller disposes it. @throws Fault */
  watchAddresses(events: {
    readonly onChange: () => void;
    readonly onError: (error: unknown) => void;
  }): Disposable;
}

export interface Dhcp6OperatorInit {
  readonly openWire: OpenDhcp6Wire;
  readonly kernel: AddressSource;
  readonly timers: Pick<Timers, 'now' | 'monotonicMs' | 'after'>;
  readonly random: () => number;
  readonly log: Logger;
}

interface Running {
  readonly spec: OperatorSpecSpec;
  /** Undefined while the link is missing, or is not one that DHCP can run on. */
  readonly client: Dhcp6Link | undefined;
  readonly problem: string | undefined;
}

/** `IFA_F_DADFAILED` of <linux/if_addr.h>: another host has the address. */
const dadFailed = 0x08;
/** After the watch of the addresses has failed. */
const retryMs = 5000;
/** Lines about that. */
const failureLines = { most: 3, eachMs: 3_600_000 };

/** DHCP for IPv6 on the links that a specification names. When it is disposed of, the clients end. */
export class Dhcp6Operator implements NetworkOperator, Disposable {
  readonly #init: Dhcp6OperatorInit;
  readonly #running = new Map<string, Running>();
  readonly #listener = new ChangeListener();
  readonly #failureLines: LimitedLines;
  #addressWatch: Disposable | undefined;
  #retry: Disposable | undefined;

  constructor(init: Dhcp6OperatorInit) {
    this.#init = init;
    this.#failureLines = new LimitedLines(init.timers, failureLines);
  }

  watch(onChange: () => void): Disposable {
    return this.#listener.watch(onChange);
  }

  react({ operators, links }: Pick<OperatorEvents, 'operators' | 'links'>): void {
    const wanted = new Map(
      operators
        .filter(({ operator }) => operator === 'dhcp6')
        .slice(0, mostDhcpClients)
        .map((spec) => [spec.linkName, spec]),
    );
    for (const [name, { client }] of this.#running)
      if (!wanted.has(name)) {
        client?.[Symbol.dispose]();
        this.#running.delete(name);
      }
    for (const [name, spec] of wanted) this.#adopt(name, spec, links.get(name));
    if (this.#running.size > 0) this.#watchAddresses();
    else this.#forgetAddresses();
  }

  /** Whether a link asks for an address. */
  isRunning(): boolean {
    return this.#running.size > 0;
  }

  outputs(): readonly OperatorOutput[] {
    if (this.#running.size === 0) return [];
    const own = new Set(this.#init.kernel.addresses().map(({ address }) => address));
    return [...this.#running].map(([name, { spec, client }]) =>
      dhcp6Output({ name, index: client?.link.index ?? 0 }, spec.dhcp6, client?.grant(), own),
    );
  }

  problems(): readonly NetworkProblem[] {
    return [...this.#running.values()].flatMap(({ client, problem }) => {
      const line = problem ?? client?.problem();
      return line === undefined ? [] : [{ subject: 'others' as const, line }];
    });
  }

  [Symbol.dispose](): void {
    for (const { client } of this.#running.values()) client?.[Symbol.dispose]();
    this.#running.clear();
    this.#forgetAddresses();
  }

  #adopt(name: string, spec: OperatorSpecSpec, link: LinkStatusSpec | undefined): void {
    const running = this.#running.get(name);
    const isSame =
      running?.client !== undefined &&
      JSON.stringify(running.spec.dhcp6.clientIdentifier) === JSON.stringify(spec.dhcp6.clientIdentifier) &&
      isSameDevice(running.client.link, link);
    if (isSame) {
      this.#running.set(name, { ...running, spec });
      if (link !== undefined) running.client.setUp(canCarry(link));
      return;
    }
    running?.client?.[Symbol.dispose]();
    const reason = reasonAgainstDhcp(link);
    if (link === undefined || reason !== undefined) {
      this.#running.set(name, { spec, client: undefined, problem: `DHCP for IPv6 on ${name}: ${reason}` });
      return;
    }
    const { openWire, timers, random, log } = this.#init;
    const { index, hardwareAddr: hardware } = link;
    const client = new Dhcp6Link({
      ...{ link: { name, index, hardware }, settings: dhcp6Settings(hardware, spec.dhcp6, timers.now()) },
      ...{ openWire, timers, random, log, onChange: () => this.#listener.changed() },
    });
    this.#running.set(name, { spec, client, problem: undefined });
    client.setUp(canCarry(link));
  }

  #watchAddresses(): void {
    if (this.#addressWatch !== undefined || this.#retry !== undefined) return;
    const { kernel, timers, log } = this.#init;
    const onError = (error: unknown) => {
      this.#forgetAddresses();
      this.#failureLines.write(() =>
        log.warn({ error: faultFrom(error).message }, 'conflicts of addresses cannot be seen'),
      );
      this.#retry = timers.after(retryMs, () => {
        this.#retry = undefined;
        this.#watchAddresses();
      });
    };
    try {
      this.#addressWatch = kernel.watchAddresses({ onChange: () => this.#declineConflicts(), onError });
    } catch (error) {
      onError(error);
    }
  }

  #forgetAddresses(): void {
    this.#addressWatch?.[Symbol.dispose]();
    this.#addressWatch = undefined;
    this.#retry?.[Symbol.dispose]();
    this.#retry = undefined;
  }

  /** The kernel checks each address before its first use, and marks one that another host has. */
  #declineConflicts(): void {
    const failed = this.#init.kernel.addresses().filter(({ flags }) => (flags & dadFailed) !== 0);
    for (const { client } of this.#running.values()) {
      const address = client?.grant()?.address;
      if (client === undefined || address === undefined) continue;
      if (failed.some((each) => each.linkIndex === client.link.index && each.address === address))
        client.addressInUse(address);
    }
  }
}

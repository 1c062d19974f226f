// For tests: a DHCP server in memory, which does what it is told, also what no server should do.
import type { DhcpMessage } from '../dhcp-message.ts';
import { bytesOfAddress, textOfAddress, unspecifiedAddress } from '../inet4-address.ts';
import { messageTypeOf } from '../lease-offer.ts';
import { messageTypes, optionCodes } from '../option-codes.ts';

const word = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return Uint8Array.from(bytes);
};

/** The bytes of addresses, as in option 6. */
export const addressList = (...addresses: readonly string[]): Uint8Array =>
  Uint8Array.from(addresses.flatMap((address) => [...bytesOfAddress(address)]));

export interface TestServerInit {
  readonly id?: string;
  /** The addresses that it gives, in this order, unless the client asks for one of them. */
  readonly addresses?: readonly string[];
  readonly leaseSeconds?: number;
  /** Replace those that it sends. `undefined` removes one. */
  readonly options?: ReadonlyMap<number, Uint8Array | undefined>;
}

/** Answers messages as RFC 2131, section 4.3, says. */
export class TestServer {
  id: string;
  leaseSeconds: number;
  options: ReadonlyMap<number, Uint8Array | undefined>;
  /** It answers nothing while it is away. */
  isAway = false;
  /** It refuses each request. */
  refuses = false;
  /** Whether requests about addresses that it does not have are refused; else it is silent. */
  isAuthoritative = true;
  readonly received: DhcpMessage[] = [];
  readonly #free: string[];
  readonly #given = new Map<string, string>();
  readonly #declined = new Set<string>();

  constructor({
    id = '10.0.0.1',
    addresses = ['10.0.0.5'],
    leaseSeconds = 60,
    options,
  }: TestServerInit = {}) {
    this.id = id;
    this.leaseSeconds = leaseSeconds;
    this.options = options ?? new Map();
    this.#free = [...addresses];
  }

  /** The reply; undefined for none. */
  answer(message: DhcpMessage): DhcpMessage | undefined {
    if (this.isAway) return undefined;
    this.received.push(message);
    const type = messageTypeOf(message);
    const named = addressIn(message, optionCodes.serverId);
    if (type === messageTypes.discover) {
      const address = this.#addressFor(message);
      return address === undefined ? undefined : this.#reply(message, messageTypes.offer, address);
    }
    if (type === messageTypes.decline && named === this.id) {
      this.#declined.add(addressIn(message, optionCodes.requestedAddress) ?? '');
      this.#given.delete(message.hardware);
      return undefined;
    }
    if (type !== messageTypes.request || (named !== undefined && named !== this.id)) return undefined;
    const wanted =
      message.clientAddress === unspecifiedAddress
        ? addressIn(message, optionCodes.requestedAddress)
        : message.clientAddress;
    if (wanted === undefined) return undefined;
    if (!this.refuses && wanted === this.#addressFor(message, wanted))
      return this.#reply(message, messageTypes.ack, wanted);
    return this.refuses || this.isAuthoritative
      ? this.#reply(message, messageTypes.nak, unspecifiedAddress)
      : undefined;
  }

  #addressFor(message: DhcpMessage, wanted = addressIn(message, optionCodes.requestedAddress)) {
    const known = this.#given.get(message.hardware);
    const taken = new Set([...this.#given.values()].filter((address) => address !== known));
    const usable = this.#free.filter((address) => !taken.has(address) && !this.#declined.has(address));
    const address = [wanted, known, usable[0]].find((each) => each !== undefined && usable.includes(each));
    if (address !== undefined) this.#given.set(message.hardware, address);
    return address;
  }

  #reply(message: DhcpMessage, type: number, yourAddress: string): DhcpMessage {
    const settings: [number, Uint8Array | undefined][] =
      type === messageTypes.nak
        ? []
        : [
            [optionCodes.leaseTime, word(this.leaseSeconds)],
            [optionCodes.subnetMask, Uint8Array.of(255, 255, 255, 0)],
            [optionCodes.routers, bytesOfAddress(this.id)],
            ...this.options,
          ];
    const options = new Map<number, Uint8Array | undefined>([
      [optionCodes.messageType, Uint8Array.of(type)],
      [optionCodes.serverId, bytesOfAddress(this.id)],
      ...settings,
    ]);
    return {
      ...{ isReply: true, transactionId: message.transactionId, seconds: 0, wantsBroadcast: false },
      ...{ clientAddress: unspecifiedAddress, yourAddress, nextServer: unspecifiedAddress },
      ...{ relayAddress: unspecifiedAddress, hardware: message.hardware },
      options: new Map([...options].flatMap(([code, value]) => (value === undefined ? [] : [[code, value]]))),
    };
  }
}

function addressIn({ options }: DhcpMessage, code: number): string | undefined {
  const value = options.get(code);
  return value?.length === 4 ? textOfAddress(value) : undefined;
}

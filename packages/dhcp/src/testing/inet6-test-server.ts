// For tests: a server of DHCP for IPv6 in memory, which does what it is told, also what no server should do.
import { ipAddressBytes, ipAddressText } from '@nodewright/linux/network';
import {
  inet6OptionCodes as codes,
  decodeInet6Options,
  encodeInet6Options,
  type Inet6Message,
  type Inet6Option,
  inet6Option,
  inet6MessageTypes as types,
} from '../inet6/message.ts';

export interface Inet6TestServerInit {
  readonly id?: string;
  readonly addresses?: readonly string[];
  readonly validSeconds?: number;
  readonly isRapid?: boolean;
  readonly preference?: number;
}

const word = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

/** Answers messages as RFC 8415, section 18.3, says. */
export class Inet6TestServer {
  readonly id: Uint8Array;
  validSeconds: number;
  isRapid: boolean;
  preference: number;
  /** It answers nothing while it is away. */
  isAway = false;
  /** It answers each message with this status, and without addresses. */
  status = 0;
  /** Options that it adds. */
  more: readonly Inet6Option[] = [
    { code: codes.nameServers, value: Uint8Array.from(ipAddressBytes('fd00::53')) },
    { code: codes.searchDomains, value: Uint8Array.from(Buffer.from('\x03lab\x07example\x00', 'latin1')) },
  ];
  /** Those that it gives, in this order. */
  addresses: string[];
  readonly declined = new Set<string>();
  readonly received: Inet6Message[] = [];

  constructor({
    id = '00030001020000000077',
    addresses = ['fd00::5', 'fd00::6'],
    validSeconds = 60,
    isRapid = true,
    preference = 0,
  }: Inet6TestServerInit = {}) {
    this.id = Uint8Array.from(Buffer.from(id, 'hex'));
    this.addresses = [...addresses];
    this.validSeconds = validSeconds;
    this.isRapid = isRapid;
    this.preference = preference;
  }

  /** The reply; undefined for none. */
  answer(message: Inet6Message): Inet6Message | undefined {
    if (this.isAway) return undefined;
    const named = inet6Option(message.options, codes.serverId);
    if (named !== undefined && !Buffer.from(named).equals(this.id)) return undefined;
    this.received.push(message);
    const asked = addressIn(message);
    if (message.type === types.decline) {
      this.declined.add(asked ?? '');
      return this.#reply(message, types.reply, undefined);
    }
    if (message.type === types.confirm) return this.#reply(message, types.reply, undefined);
    const usable = this.addresses.filter((address) => !this.declined.has(address));
    const address = usable.find((each) => each === asked) ?? usable[0];
    const isOffer = message.type === types.solicit && !this.isRapid;
    return this.#reply(message, isOffer ? types.advertise : types.reply, address);
  }

  #reply({ transactionId, options, type }: Inet6Message, replyType: number, address: string | undefined) {
    const clientId = inet6Option(options, codes.clientId) ?? new Uint8Array();
    const association = inet6Option(options, codes.addresses)?.subarray(0, 4) ?? new Uint8Array(4);
    const status: Inet6Option[] =
      this.status === 0 ? [] : [{ code: codes.statusCode, value: Uint8Array.of(0, this.status) }];
    const inside: Inet6Option[] =
      address === undefined || this.status !== 0
        ? []
        : [
            {
              code: codes.address,
              value: Buffer.concat([ipAddressBytes(address), word(this.validSeconds, this.validSeconds)]),
            },
          ];
    const isRapid = type === types.solicit && replyType === types.reply;
    return {
      ...{ type: replyType, transactionId },
      options: [
        { code: codes.clientId, value: clientId },
        { code: codes.serverId, value: this.id },
        { code: codes.preference, value: Uint8Array.of(this.preference) },
        ...(isRapid ? [{ code: codes.rapidCommit, value: new Uint8Array() }] : []),
        ...status,
        {
          code: codes.addresses,
          value: Buffer.concat([association, word(0, 0), encodeInet6Options(inside)]),
        },
        ...this.more,
      ],
    };
  }
}

function addressIn({ options }: Inet6Message): string | undefined {
  const association = inet6Option(options, codes.addresses);
  const inside = association && inet6Option(decodeInet6Options(association.subarray(12)), codes.address);
  return inside && ipAddressText(inside.subarray(0, 16));
}

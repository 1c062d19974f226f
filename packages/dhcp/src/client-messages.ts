// What the client sends. Source: RFC 2131, section 4.4 and table 5.
import type { DhcpMessage } from './dhcp-message.ts';
import { bytesOfAddress, unspecifiedAddress } from './inet4-address.ts';
import { messageTypes, optionCodes } from './option-codes.ts';
import { hardwareBytes } from './udp-frame.ts';

/** Who the client is, and what it asks for. */
export interface ClientSettings {
  /** Ethernet address of the link, such as `02:00:00:00:00:01`. */
  readonly hardware: string;
  /** Option 61: its type and its value; undefined for none. */
  readonly clientId: Uint8Array | undefined;
  /** The name that the server is told; undefined for none. */
  readonly hostname: string | undefined;
  /** Asks the server for a name. */
  readonly wantsHostname: boolean;
}

/** The client id that is the Ethernet address. Source: RFC 2132, section 9.14. */
export const clientIdOfHardware = (hardware: string): Uint8Array =>
  Uint8Array.from([1, ...hardwareBytes(hardware)]);

/** The longest message that the client takes: the MTU of Ethernet. */
const acceptedBytes = 1500;

const parameters: readonly number[] = [
  ...[optionCodes.subnetMask, optionCodes.routers, optionCodes.domainName, optionCodes.nameServers],
  ...[optionCodes.classlessRoutes, optionCodes.searchDomains, optionCodes.timeServers],
  ...[optionCodes.interfaceMtu, optionCodes.renewalTime, optionCodes.rebindingTime],
];

/** The fields of a message that depend on the state of the client. */
export interface ClientMessageInit {
  readonly type: keyof typeof messageTypes;
  readonly transactionId: number;
  readonly seconds?: number;
  /** The address that the client has and renews. */
  readonly clientAddress?: string;
  readonly requestedAddress?: string | undefined;
  readonly serverId?: string | undefined;
  /** For people who read the log of the server. */
  readonly text?: string;
}

export function clientMessage(settings: ClientSettings, init: ClientMessageInit): DhcpMessage {
  const { type, transactionId, seconds = 0, clientAddress = unspecifiedAddress, requestedAddress } = init;
  const options = new Map<number, Uint8Array>([[optionCodes.messageType, Uint8Array.of(messageTypes[type])]]);
  if (settings.clientId !== undefined) options.set(optionCodes.clientId, settings.clientId);
  if (requestedAddress !== undefined)
    options.set(optionCodes.requestedAddress, bytesOfAddress(requestedAddress));
  if (init.serverId !== undefined) options.set(optionCodes.serverId, bytesOfAddress(init.serverId));
  if (init.text !== undefined) options.set(optionCodes.message, Buffer.from(init.text));
  if (type === 'discover' || type === 'request') {
    options.set(optionCodes.longestMessage, Uint8Array.of(acceptedBytes >> 8, acceptedBytes & 0xff));
    const wanted = settings.wantsHostname ? [...parameters, optionCodes.hostname] : parameters;
    options.set(optionCodes.parameterList, Uint8Array.from(wanted));
    if (settings.hostname !== undefined) options.set(optionCodes.hostname, Buffer.from(settings.hostname));
  }
  return {
    ...{ isReply: false, transactionId, seconds: Math.min(seconds, 0xffff), wantsBroadcast: false },
    ...{ clientAddress, yourAddress: unspecifiedAddress, nextServer: unspecifiedAddress },
    ...{ relayAddress: unspecifiedAddress, hardware: settings.hardware, options },
  };
}

// For tests: replies of dnsmasq 2.90 to a client that asked for all options that ours knows.

const zeros = (bytes: number) => '00'.repeat(bytes);
const header = (flags: string, yourAddress: string, nextServer: string) =>
  `0201060012345678${zeros(2)}${flags}${zeros(4)}${yourAddress}${nextServer}${zeros(4)}020000000009${zeros(202)}63825363`;
const settings = [
  ...['36040a4d0001', '330400000078', '3a040000003c', '3b0400000069', '0104ffffff00', '1c040a4d00ff'],
  ...['03040a4d0001', '0f0b6578616d706c652e6e6574', '0c056e6f646561', '790c100a080a4d0009000a4d0001'],
  ...['1a020578', '7713076578616d706c65036f726700036c6162c000', '2a040a4d0007', 'ff'],
].join('');
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

/** Two options of 121, two of 119 with a pointer, a lease of two minutes. */
export const realMessages = {
  offer: bytes(`${header('0000', '0a4d0034', '0a4d0001')}350102${settings}`),
  ack: bytes(`${header('0000', '0a4d0034', '0a4d0001')}350105${settings}`),
  nak: bytes(
    `${header('8000', zeros(4), zeros(4))}35010636040a4d0001380d77726f6e672061646472657373ff${zeros(38)}`,
  ),
} as const;

const inet6Message = (type: string, address: string, preference: string) =>
  bytes(
    [
      ...[type, '123456', '0001000a', '00030001020000000009', '0002000b', '0002000000010200000001'],
      ...['00030028', '00000009', '0000003c', '00000069', '00050018', address, '00000078', '00000078'],
      ...['000d0009', '000073756363657373', preference],
      ...['0018001a', '036c6162076578616d706c6500', '076578616d706c65036f726700'],
      ...['00170020', 'fd990000000000000000000000000053', 'fd990000000000000000000000000054'],
    ].join(''),
  );

/** Of dnsmasq 2.90 to the client with the hardware address 02:00:00:00:00:09: a lease of two minutes, two servers and two domains. */
export const realInet6Messages = {
  advertise: inet6Message('02', 'fd990000000000000000000000000114', '0007000100'),
  reply: inet6Message('07', 'fd990000000000000000000000000105', ''),
} as const;

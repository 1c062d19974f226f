export * from './arp-packet.ts';
export * from './client-messages.ts';
export * from './dhcp-client.ts';
export * from './dhcp-message.ts';
export * from './inet4-address.ts';
export * from './lease-offer.ts';
export * from './option-codes.ts';
export * from './udp-frame.ts';

export * from './address-message.ts';
export * from './link-details.ts';
export * from './link-device.ts';
export * from './link-message.ts';
export * from './read-network.ts';
export * from './route-message.ts';
export * from './rule-message.ts';
export * from './watch-netlink.ts';

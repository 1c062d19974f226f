export * from './check-reply.ts';
export * from './ntp-packet.ts';
export * from './ntp-time.ts';
export * from './query-sntp.ts';
export * from './server-address.ts';
export * from './sntp-server.ts';
export * from './wall-clock.ts';

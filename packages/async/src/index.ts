export * from './aborted.ts';
export * from './any-signal.ts';
export * from './change-signal.ts';
export * from './deadline.ts';
export * from './exponential-delay.ts';
export * from './pause.ts';
export * from './timers.ts';
export * from './unless-aborted.ts';

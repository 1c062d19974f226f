export * from './aborted.ts';
export * from './change-signal.ts';
export * from './exponential-delay.ts';
export * from './pause.ts';
export * from './timers.ts';

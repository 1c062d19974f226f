export * from './fake-event-loop.ts';
export * from './fake-timers.ts';
export * from './open-test-runtime.ts';

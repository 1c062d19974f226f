export * from './eventually.ts';
export * from './is-serving.ts';
export * from './lone-node.ts';
export * from './otlp-decode.ts';
export * from './otlp-receiver.ts';
export * from './serve-state.ts';
export * from './span-tree.ts';
export * from './spawn-daemon.ts';

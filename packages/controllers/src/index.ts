export * from './controller.ts';
export * from './controller-runtime.ts';
export * from './dependency-graph.ts';
export * from './failed-starts.ts';
export * from './service-controller.ts';
export * from './transform-controller.ts';

// For tests elsewhere: images with a shell and little else, archives of them, and a registry.
export * from '../conformance/test-image.ts';
export * from '../conformance/test-registry.ts';

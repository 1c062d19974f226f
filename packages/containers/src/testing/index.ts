// For tests of other packages: images with little more than a shell, archives of them, and a registry.
export * from '../conformance/test-image.ts';
export * from '../conformance/test-registry.ts';

// The tests that every driver of a container runtime must pass; the contract is `container-runtime.ts`.
import { testContainers } from './containers.ts';
import { testFailures } from './failures.ts';
import { testImages } from './images.ts';
import { useBench } from './in-runtime.ts';
import type { RuntimeSubject } from './runtime-subject.ts';

export type { RuntimeHost, RuntimeSubject } from './runtime-subject.ts';
export { dockerArchive, layoutArchive, makeTestImage, type TestImage } from './test-image.ts';
export { openTestRegistry, type TestRegistry } from './test-registry.ts';

/** Declares the tests of the suite for one driver, each in a runtime that `subject` starts. */
export function testContainerRuntime(subject: RuntimeSubject): void {
  const test = useBench(subject);
  testImages(test, subject);
  testContainers(test);
  testFailures(test, subject);
}

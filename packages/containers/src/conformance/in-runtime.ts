import { after, before, test } from 'node:test';
import type { ContainerRuntime, ContainerSpec, RuntimeNamespace } from '../container-runtime.ts';
import type { ImageInfo, LayerProgress, PullOptions } from '../image-store.ts';
import type { RuntimeHost, RuntimeSubject } from './runtime-subject.ts';
import { layoutArchive, makeTestImage, type TestImage } from './test-image.ts';
import { openTestRegistry, type TestRegistry } from './test-registry.ts';

/** An engine backs off for up to a minute in total before it fails a broken download. */
const testTimeoutMs = 240_000;

/** The objects that each test of the suite uses. */
export interface Bench {
  readonly host: RuntimeHost;
  readonly runtime: ContainerRuntime;
  readonly system: RuntimeNamespace;
  readonly kubernetes: RuntimeNamespace;
  readonly registry: TestRegistry;
  /** The image with this `reference` is in the namespace `system`. */
  readonly image: TestImage;
  readonly reference: string;
  /** An id that no other test uses. */
  newId(): string;
}

/** Declares a test: a sentence about the runtime, and the code that checks it. */
export type BenchTest = (sentence: string, body: (bench: Bench) => Promise<void>) => void;

/**
 * Starts one runtime before many tests, and ends it after the last one. The function that it returns declares
 * each test.
 */
export function useBench(subject: RuntimeSubject): BenchTest {
  const scope = new AsyncDisposableStack();
  let bench: Bench | undefined;
  let ids = 0;
  if (subject.skip === false) {
    before(
      async () => {
        const host = scope.use(await subject.openHost());
        const registry = scope.use(await openTestRegistry());
        const runtime = scope.use(host.openRuntime());
        const system = runtime.namespace('system');
        const image = await makeTestImage({ busybox: await subject.busybox() });
        const reference = 'registry.example/test/shell:v1';
        await system.images.import(pieces(await layoutArchive(image, reference)));
        bench = {
          ...{ host, runtime, system, registry, image, reference },
          kubernetes: runtime.namespace('k8s.io'),
          newId: () => `test-${++ids}`,
        };
      },
      { timeout: testTimeoutMs },
    );
    after(() => scope[Symbol.asyncDispose](), { timeout: testTimeoutMs });
  }
  return (sentence, body) => {
    test(`${subject.name}: ${sentence}`, { skip: subject.skip, timeout: testTimeoutMs }, async () => {
      if (bench === undefined) throw new Error('the runtime did not start');
      await body(bench);
    });
  };
}

/** A shell script as a complete command. */
export const shell = (script: string) => ['/bin/sh', '-c', script];

/** Creates and starts a container; disposing of it removes the container in any state. */
export async function run(
  { system, reference, newId }: Bench,
  spec: Partial<ContainerSpec>,
): Promise<AsyncDisposable & { readonly id: string; readonly pid: number }> {
  const id = spec.id ?? newId();
  await system.containers.create({ image: reference, ...spec, id });
  const remove = () => system.containers.remove(id, { force: true });
  try {
    const pid = await system.containers.start(id);
    return { id, pid, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The output of a command, and its exit code. */
export async function outputOf(
  bench: Bench,
  spec: Partial<ContainerSpec>,
): Promise<{ code: number; text: string }> {
  await using container = await run(bench, spec);
  const { code } = await bench.system.containers.wait(container.id);
  return { code, text: await logText(bench, container.id) };
}

export async function logText({ system }: Bench, id: string, tailLines?: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of system.containers.logs(id, { tailLines })) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Pulls to the end; returns the image and all progress reports. */
export async function pullWhole(
  namespace: RuntimeNamespace,
  reference: string,
  options?: PullOptions,
): Promise<{ image: ImageInfo; layers: LayerProgress[] }> {
  const layers: LayerProgress[] = [];
  let image: ImageInfo | undefined;
  for await (const step of namespace.images.pull(reference, options)) {
    if (step.kind === 'layer') layers.push(step.layer);
    else image = step.image;
  }
  if (image === undefined) throw new Error('the pull ended without an image');
  return { image, layers };
}

/** Bytes as a stream of chunks. */
export async function* pieces(bytes: Uint8Array, sizeBytes = 60_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}

/** For assert.rejects: a Fault of this kind, with this text. */
export const faultOf =
  (kind: string, words: RegExp = /./) =>
  (error: unknown) => {
    const { kind: own, message } = error as { kind?: string; message: string };
    if (own === kind && words.test(message)) return true;
    throw new Error(`expected a Fault ${kind} like ${words}, not ${own}: ${message}`, { cause: error });
  };

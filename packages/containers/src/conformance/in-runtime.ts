import { after, before, test } from 'node:test';
import type { ContainerRuntime, ContainerSpec, RuntimeNamespace } from '../container-runtime.ts';
import type { ImageInfo, LayerProgress, PullOptions } from '../image-store.ts';
import type { RuntimeHost, RuntimeSubject } from './runtime-subject.ts';
import { layoutArchive, makeTestImage, type TestImage } from './test-image.ts';
import { openTestRegistry, type TestRegistry } from './test-registry.ts';

/** An engine makes pauses of its own, up to a minute in all, before it gives a broken download up. */
const testTimeoutMs = 240_000;

/** What each test of the suite has at hand. */
export interface Bench {
  readonly host: RuntimeHost;
  readonly runtime: ContainerRuntime;
  readonly system: RuntimeNamespace;
  readonly kubernetes: RuntimeNamespace;
  readonly registry: TestRegistry;
  /** Held in `system` as `reference`. */
  readonly image: TestImage;
  readonly reference: string;
  /** An id that no other test uses. */
  newId(): string;
}

/** A sentence about the runtime, and what shows that it is true. */
export type BenchTest = (sentence: string, body: (bench: Bench) => Promise<void>) => void;

/** Starts one runtime for many tests, and ends it after the last. Yields what each is written with. */
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

/** A shell's script as the whole command. */
export const shell = (script: string) => ['/bin/sh', '-c', script];

/** Creates and starts a container; disposing removes it, whatever it does by then. */
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

/** What a command prints, and its exit code. */
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

/** Pulls to the end: the image, and every report of progress. */
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

/** Bytes as they come off a wire. */
export async function* pieces(bytes: Uint8Array, sizeBytes = 60_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}

/** For assert.rejects: a Fault of this kind, and text. */
export const faultOf =
  (kind: string, words: RegExp = /./) =>
  (error: unknown) => {
    const { kind: own, message } = error as { kind?: string; message: string };
    if (own === kind && words.test(message)) return true;
    throw new Error(`expected a Fault ${kind} like ${words}, not ${own}: ${message}`, { cause: error });
  };

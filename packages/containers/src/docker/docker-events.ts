import { Fault } from '@nodewright/fault';
import type { NamespaceName, RuntimeEvent } from '../container-runtime.ts';
import type { DockerImages } from './docker-images.ts';
import type { Engine } from './open-engine.ts';
import { referenceOfOwned, referenceText } from './owned-reference.ts';
import { namespaceLabels, ownLabels, type Scope } from './ownership.ts';
import { readJsonLines } from './read-lines.ts';

interface EngineEvent {
  readonly Type: string;
  readonly Action: string;
  readonly Actor: { readonly Attributes: Readonly<Record<string, string>> };
  readonly timeNano: number;
}

export interface DockerEventsInit {
  readonly engine: Engine;
  readonly scope: Scope;
  readonly namespace: NamespaceName;
  readonly images: Pick<DockerImages, 'list'>;
}

/** Events of the node's containers and images. Ends as `RuntimeNamespace.watchEvents` describes. */
export async function* watchDockerEvents(
  { engine, scope, namespace, images }: DockerEventsInit,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  const what = 'cannot watch the engine';
  // The time is fixed here, even if the engine receives the request later.
  const since = (Date.now() / 1000).toFixed(6);
  const wanted = Object.entries(namespaceLabels(scope, namespace));
  try {
    let held = await namesHeld(images, signal);
    // One stream keeps the order. The label filter of the engine would drop all events of images.
    const stream = await engine.wait('events', what, { signal }, (docker, abortSignal) =>
      docker.getEvents({ since, filters: { type: ['container', 'image'] }, abortSignal } as object),
    );
    for await (const event of readJsonLines<EngineEvent>(stream as unknown as AsyncIterable<Uint8Array>)) {
      const atMs = Math.floor(event.timeNano / 1e6);
      if (event.Type === 'image') {
        const tagged = taggedBy(event, scope, namespace);
        if (tagged !== undefined) {
          held.add(tagged);
          yield { kind: 'image-added', reference: tagged, atMs };
        } else if (event.Action === 'untag') {
          // The event names the image, but not the tag that it lost.
          const now = await namesHeld(images, signal);
          for (const reference of held.difference(now)) yield { kind: 'image-removed', reference, atMs };
          held = now.intersection(held);
        }
        continue;
      }
      const attributes = event.Actor.Attributes;
      if (!wanted.every(([name, value]) => attributes[name] === value)) continue;
      const own = containerEvent(event.Action, attributes, atMs);
      if (own !== undefined) yield own;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Fault) throw error;
    throw new Fault('unavailable', `${what}: it went away`, { cause: error });
  }
  if (!signal.aborted) throw new Fault('unavailable', `${what}: it went away`);
}

async function namesHeld(images: Pick<DockerImages, 'list'>, signal: AbortSignal): Promise<Set<string>> {
  return new Set((await images.list({ signal })).map(({ reference }) => reference));
}

/** The image that the node holds from now on; undefined for tags of other owners, and for other events. */
function taggedBy(
  { Action, Actor }: EngineEvent,
  scope: Scope,
  namespace: NamespaceName,
): string | undefined {
  if (Action !== 'tag') return undefined;
  const reference = referenceOfOwned(scope, namespace, 'held', Actor.Attributes.name ?? '');
  return reference && referenceText(reference);
}

function containerEvent(
  action: string,
  attributes: Readonly<Record<string, string>>,
  atMs: number,
): RuntimeEvent | undefined {
  const id = attributes[ownLabels.container] ?? '';
  switch (action) {
    case 'create':
      return { kind: 'container-created', id, atMs };
    case 'destroy':
      return { kind: 'container-removed', id, atMs };
    case 'start':
      return { kind: 'task-started', id, atMs };
    case 'oom':
      return { kind: 'task-out-of-memory', id, atMs };
    case 'die':
      return { kind: 'task-exited', id, code: Number(attributes.exitCode), atMs };
    default:
      return undefined;
  }
}

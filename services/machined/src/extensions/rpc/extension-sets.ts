import {
  type ExtensionSet,
  type ExtensionSetServiceImplementation,
  type InstallRequest,
  NextStart,
} from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import { Fault } from '@nodewright/fault';
import type { ExtensionSets, KnownSet, SetsStatus } from '../host/extension-sets.ts';

/** Implements ExtensionSetService. @param sets undefined on a node that is no machine of its own */
export function createExtensionSetService(
  sets: ExtensionSets | undefined,
): ExtensionSetServiceImplementation {
  const owned = (): ExtensionSets => {
    if (sets !== undefined) return sets;
    throw new Fault(
      'failed-precondition',
      'this node is no machine with a disk of its own: only such a machine takes sets of extensions',
    );
  };
  return {
    async status() {
      const { running, next, problem } = await owned().status();
      return {
        ...{ running: running && setMessage(running), problem, nextStart: nextStart(next) },
        next: next === undefined || next === 'no set' ? undefined : setMessage(next),
      };
    },
    install: async (requests) => ({ set: setMessage(await owned().install(chunksOf(requests))) }),
    async remove() {
      const running = await owned().remove();
      return { running: running && setMessage(running) };
    },
  };
}

function nextStart(next: SetsStatus['next']): NextStart {
  if (next === undefined) return NextStart.NEXT_START_UNCHANGED;
  return next === 'no set' ? NextStart.NEXT_START_REMOVES : NextStart.NEXT_START_INSTALLS;
}

const setMessage = ({ rootHash, squashfsBytes, layers }: KnownSet): ExtensionSet => ({
  ...{ rootHash, sizeBytes: BigInt(squashfsBytes) },
  layers: layers.map(({ metadata: { name, version } }) => ({ name, version })),
});

async function* chunksOf(requests: AsyncIterable<InstallRequest>): AsyncGenerator<Uint8Array> {
  for await (const { chunk } of requests) yield chunk;
}

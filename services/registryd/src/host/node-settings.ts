import { faultFrom } from '@nodewright/fault';
import { type ImageReference, parseImageReference, type RegistrySettings } from '@nodewright/oci';
import { dialState, followState, one } from '@nodewright/state/follow';
import { etcdSpecs, imageCacheConfigs, registryConfigs } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';

/** What the node's resources say about images. */
export interface NodeSettings {
  /** Whether the configuration of the node enables the image cache. */
  readonly isEnabled: boolean;
  readonly registries: RegistrySettings;
  /** Folders with images that are only read. */
  readonly roots: readonly string[];
  /** The images that the node uses. */
  readonly usedImages: readonly ImageReference[];
}

export const noSettings: NodeSettings = {
  isEnabled: false,
  registries: { mirrors: {}, auths: {}, tls: {} },
  roots: [],
  usedImages: [],
};

const followed = {
  registries: one(registryConfigs, registryConfigs.singleton),
  cache: one(imageCacheConfigs, imageCacheConfigs.singleton),
  etcd: one(etcdSpecs, etcdSpecs.singleton),
};

/**
 * Yields the settings that machined serves on `socket`, and each change. While machined is away, and until a machined that was restarted
 * has its configuration, the last ones stay in force: without them mirrors and credentials would be bypassed.
 */
export async function* followNodeSettings(
  socket: string,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): AsyncGenerator<NodeSettings, void, undefined> {
  const connect = (dialSignal: AbortSignal) => dialState(socket, dialSignal);
  // In a container of its own registryd also runs while the node has no image cache, and machined serves nothing then. So each
  // failure is logged when it is new.
  let known = '';
  const onBroken = ({ message }: Error, retryMs: number) => {
    if (message !== known) log.warn({ socket, error: message, retryMs }, "the node's state cannot be read");
    known = message;
  };
  for await (const state of followState({ followed, connect, signal, onBroken })) {
    if (state === undefined) continue;
    known = '';
    const { registries, cache, etcd } = state.view;
    if (registries === undefined || cache === undefined) continue;
    yield {
      isEnabled: cache.status !== 'disabled',
      registries,
      roots: cache.roots,
      usedImages: [etcd?.image ?? ''].flatMap((text) => referenceFrom(text, log)),
    };
  }
}

function referenceFrom(text: string, log: Logger): ImageReference[] {
  if (text === '') return [];
  try {
    return [parseImageReference(text)];
  } catch (error) {
    log.warn({ error: faultFrom(error).message }, 'an image of the node has no valid name');
    return [];
  }
}

import { exponentialDelayMs } from '@nodewright/async';
import { type Controller, shared, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { type JsonObject, pointerTo } from '@nodewright/state';
import { extraManifestsConfigs, manifestProblems, manifests, networkStatuses } from '@nodewright/state/kinds';
import { extraManifestIds, maxExtraManifests } from '../domain/manifests/extra-manifest-ids.ts';
import type { LoadManifest } from '../host/load-manifest.ts';

/** A source that fails is tried again after these pauses. */
const retries = { firstMs: 5_000, factor: 2, longestMs: 300_000 } as const;

/** How many manifests are downloaded at once. */
export const maxDownloads = 8;

/** What a manifest was made from, and its objects. */
interface Loaded {
  readonly source: string;
  readonly objects: readonly JsonObject[];
}

/**
 * Downloads and reads the manifests of the user. Each is downloaded once, and again when its URL or its headers change. One
 * that fails keeps its earlier objects. Source: Talos v1.14: k8s.ExtraManifestController.
 */
export function createExtraManifestController(loadManifest: LoadManifest): Controller {
  const loaded = new Map<string, Loaded>();
  let failures = 0;
  return {
    name: 'k8s.ExtraManifestController',
    inputs: [weak(extraManifestsConfigs, extraManifestsConfigs.singleton), weak(networkStatuses)],
    outputs: [shared(manifests), shared(manifestProblems)],
    async reconcile(pass) {
      const config = (await pass.get(pointerTo(extraManifestsConfigs)))?.spec;
      const { wanted, excess } = extraManifestIds(config?.extraManifests ?? []);
      for (const id of loaded.keys()) if (!wanted.has(id)) loaded.delete(id);
      const network = (await pass.get(pointerTo(networkStatuses)))?.spec;
      const problems: { manifest: string; message: string }[] = [];
      if (excess > 0)
        problems.push({
          manifest: 'manifests',
          message: `the configuration has ${excess} manifests more than the limit of ${maxExtraManifests}`,
        });
      const queue = [...wanted].filter(([id, manifest]) => {
        const isWaiting = manifest.url !== '' && !network?.connectivityReady && !network?.addressReady;
        return !isWaiting && loaded.get(id)?.source !== JSON.stringify(manifest);
      });
      const load = async () => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const [id, manifest] = next;
          try {
            const objects = await loadManifest(manifest, pass.signal);
            loaded.set(id, { source: JSON.stringify(manifest), objects });
          } catch (error) {
            pass.signal.throwIfAborted();
            const { message } = faultFrom(error);
            problems.push({ manifest: id, message });
            pass.log.warn({ manifest: id, reason: message }, 'manifest cannot be read');
          }
        }
      };
      await Promise.all(Array.from({ length: maxDownloads }, load));
      await pass.replace(
        manifests,
        [...loaded].map(([id, { objects }]) => ({ id, spec: objects.map((object) => ({ object })) })),
      );
      await pass.replace(
        manifestProblems,
        problems.map(({ manifest, message }) => ({ id: manifest, spec: { manifest, object: '', message } })),
      );
      failures = problems.length === 0 ? 0 : failures + 1;
      if (failures > 0) pass.wakeAfter(exponentialDelayMs(retries, failures));
    },
  };
}

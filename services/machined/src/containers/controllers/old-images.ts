import type { ContainerRuntime, RuntimeNamespace } from '@nodewright/containers';
import { type Controller, type ReconcilePass, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { etcdSpecs, kubeletSpecs } from '@nodewright/state/kinds';
import { planImageRemoval } from '../domain/plan-image-removal.ts';

export interface OldImagesInit {
  readonly runtime: Pick<ContainerRuntime, 'namespace'>;
  /** Monotonic ms since the process started: a step of the clock must not age an image by days. */
  readonly now: () => number;
}

const periodMs = 3_600_000;

/**
 * Removes images of etcd and of the kubelet that no service has named for some days. The kubelet does this for the images
 * of pods, but it does not see those of the node's services.
 */
export function oldImagesController({ runtime, now }: OldImagesInit): Controller {
  let unnamedSinceMs: ReadonlyMap<string, number> = new Map();
  return {
    name: 'runtime.CRIImageGCController',
    inputs: [weak(etcdSpecs, etcdSpecs.singleton), weak(kubeletSpecs, kubeletSpecs.singleton)],
    outputs: [],
    async reconcile(pass) {
      pass.wakeAfter(periodMs);
      // At boot the runtime does not listen yet: calls that fail then make all others of its channel wait.
      if (now() < periodMs) return;
      const namespace = runtime.namespace('system');
      const stored = await storedIn(namespace, pass);
      // The next look may find the runtime up.
      if (stored === undefined) return;
      const specs = [await pass.get(pointerTo(etcdSpecs)), await pass.get(pointerTo(kubeletSpecs))];
      const specImages = specs.flatMap((each) => each?.spec.image ?? []);
      const plan = planImageRemoval({
        ...{ images: stored.images, unnamedSinceMs, nowMs: now() },
        named: [...specImages, ...stored.containers.map(({ image }) => image)],
      });
      unnamedSinceMs = plan.unnamedSinceMs;
      for (const image of plan.remove) {
        await namespace.images.remove(image, { signal: pass.signal });
        pass.log.info({ image }, 'removed an image that no service has named for days');
      }
    },
  };
}

/** Undefined while the runtime is down. */
async function storedIn({ images, containers }: RuntimeNamespace, { signal }: Pick<ReconcilePass, 'signal'>) {
  try {
    return { images: await images.list({ signal }), containers: await containers.list({ signal }) };
  } catch (error) {
    const { kind } = faultFrom(error);
    if (kind === 'unavailable' || kind === 'deadline-exceeded') return undefined;
    throw error;
  }
}

import { exponentialDelayMs } from '@nodewright/async';
import { type Controller, exclusive, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { type JsonObject, pointerTo } from '@nodewright/state';
import {
  bootstrapManifestsConfigs,
  extraManifestsConfigs,
  hostnameStatuses,
  kubernetesSecrets,
  manifestProblems,
  manifestStatuses,
  manifests,
  services,
  staticPods,
} from '@nodewright/state/kinds';
import { extraManifestIds } from '../domain/manifests/extra-manifest-ids.ts';
import type { ApplyInTurn, ManifestRequest } from '../host/apply-in-turn.ts';
import type { ApplyOutcome } from '../host/apply-manifests.ts';

const etcd = pointerTo(services, 'etcd');
/**
 * Pauses while the API server or the lock is not available, and after objects that could not be applied. The first are short,
 * because no kubelet can join before the token among the manifests is applied, and kubelets that are refused double their pauses.
 */
const waits = { firstMs: 500, factor: 1.5, longestMs: 2_000 } as const;
const retries = { firstMs: 10_000, factor: 2, longestMs: 300_000 } as const;

/**
 * Applies the manifests when etcd is healthy and the API server answers, and again when they change. The statuses say which
 * manifests are applied, and why others are not. Source: Talos v1.14: k8s.ManifestApplyController.
 */
export function createManifestApplyController(applyInTurn: ApplyInTurn): Controller {
  let done: string | undefined;
  let waited = 0;
  let failures = 0;
  return {
    name: 'k8s.ManifestApplyController',
    inputs: [
      weak(kubernetesSecrets, kubernetesSecrets.singleton),
      weak(manifests),
      weak(extraManifestsConfigs, extraManifestsConfigs.singleton),
      weak(bootstrapManifestsConfigs, bootstrapManifestsConfigs.singleton),
      weak(hostnameStatuses),
      weak(staticPods, 'kube-apiserver'),
      weak(services, etcd.id),
    ],
    outputs: [exclusive(manifestStatuses), shared(manifestProblems)],
    async reconcile(pass) {
      const request = await requestOf(pass);
      if (request === undefined) {
        done = undefined;
        await pass.replace(manifestStatuses, []);
        return pass.replace(manifestProblems, []);
      }
      const hasServer = (await pass.get(pointerTo(staticPods, 'kube-apiserver'))) !== undefined;
      if (!hasServer || !(await pass.get(etcd))?.spec.healthy) return;
      const { kubeconfig: _secret, ...content } = request;
      const fingerprint = JSON.stringify(content);
      if (fingerprint === done) return;
      const outcome = await applyInTurn(request, pass);
      if (typeof outcome === 'string') {
        waited += 1;
        pass.log.debug({ reason: outcome }, 'manifests wait');
        return pass.wakeAfter(exponentialDelayMs(waits, waited));
      }
      waited = 0;
      await publish(pass, outcome);
      failures = outcome.problems.length === 0 ? 0 : failures + 1;
      done = failures === 0 ? fingerprint : undefined;
      if (failures > 0) pass.wakeAfter(exponentialDelayMs(retries, failures));
    },
  };
}

/** A manifest that every cluster has: without it the others are not rendered yet. */
const alwaysRendered = '11-kube-config-in-cluster';

/** `undefined` on a node without manifests, or while a part is missing. */
async function requestOf(pass: ReconcilePass): Promise<ManifestRequest | undefined> {
  const secrets = (await pass.get(pointerTo(kubernetesSecrets)))?.spec;
  const bootstrap = await pass.get(pointerTo(bootstrapManifestsConfigs));
  const extra = (await pass.get(pointerTo(extraManifestsConfigs)))?.spec;
  const node = (await pass.get(pointerTo(hostnameStatuses)))?.spec.hostname;
  if (secrets === undefined || bootstrap === undefined || extra === undefined || node === undefined)
    return undefined;
  const all = (await pass.list(manifests)).map(({ metadata, spec }) => ({
    id: metadata.id,
    objects: spec.map(({ object }): JsonObject => object),
  }));
  const ids = new Set(all.map(({ id }) => id));
  const { wanted, excess } = extraManifestIds(extra.extraManifests);
  const isComplete = ids.has(alwaysRendered) && excess === 0 && [...wanted.keys()].every((id) => ids.has(id));
  const sorted = all.sort(({ id: a }, { id: b }) => (a < b ? -1 : 1));
  return { kubeconfig: secrets.localhostAdminKubeconfig, node, manifests: sorted, isComplete };
}

async function publish(pass: ReconcilePass, { applied, problems }: ApplyOutcome): Promise<void> {
  const spec = { manifestsApplied: [...applied] };
  await pass.replace(manifestStatuses, [{ id: manifestStatuses.singleton, spec }]);
  // An object that occurs twice in a manifest has one problem.
  const byId = new Map(problems.map((problem) => [`${problem.manifest}/${problem.object}`, problem]));
  await pass.replace(
    manifestProblems,
    [...byId].map(([id, problem]) => ({ id, spec: problem })),
  );
  for (const { manifest, object, message } of problems)
    pass.log.warn({ manifest, object, reason: message }, 'object of a manifest cannot be applied');
}

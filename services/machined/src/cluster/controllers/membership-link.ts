import { type Controller, type ReconcilePass, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  type AffiliateSpec,
  affiliates,
  endpoints,
  etcdMembers,
  etcdRootSecrets,
  etcdSecrets,
  identities,
  machineResetSignals,
  machineTypes,
  operatorSpecs,
  osRootSecrets,
} from '@nodewright/state/kinds';
import { isControlPlaneName } from '../../base/domain/control-plane-name.ts';
import { recordFromAffiliate } from '../domain/node-record.ts';
import { type LinkFacts, planLink } from '../domain/plan-link.ts';
import { reservedFrom } from '../domain/reserved-names.ts';
import type { NodeRegistry } from '../host/node-registry.ts';
import { type FollowPlan, RunningLink } from '../host/running-link.ts';
import { declaredVirtualAddresses } from './virtual-addresses.ts';

/** The `Endpoints` resource that comes from the configuration. */
const configuredEndpointId = 'controlplane';
/** The one with the control planes that the creator of the cluster named. Some may have left since. */
const seedEndpointId = 'seed';
/** Writes the affiliate of this node itself. */
const localOwner = 'cluster.LocalAffiliateController';

/**
 * Publishes the record of this node and learns the records of the others: a control plane in etcd, a worker
 * through a control plane. A node that is being reset removes its record. Talos has no controller of this
 * name.
 */
export function membershipLinkController(registry: NodeRegistry, follow: FollowPlan): Controller {
  let link: RunningLink | undefined;
  return {
    name: 'cluster.MembershipLinkController',
    inputs: [
      weak(identities, identities.singleton),
      weak(affiliates),
      weak(machineTypes, machineTypes.singleton),
      weak(endpoints),
      weak(etcdRootSecrets, etcdRootSecrets.singleton),
      weak(etcdSecrets, etcdSecrets.singleton),
      weak(osRootSecrets, osRootSecrets.singleton),
      weak(machineResetSignals, machineResetSignals.singleton),
      weak(operatorSpecs),
      weak(etcdMembers, etcdMembers.singleton),
    ],
    outputs: [],
    open({ log }, scope) {
      link = scope.use(new RunningLink(follow, log));
    },
    async reconcile(pass) {
      const facts = await linkFacts(pass);
      const virtual = await declaredVirtualAddresses(pass);
      const reservedAt = (ids: readonly string[], controlPlanes: readonly AffiliateSpec[] = []) =>
        reservedFrom({
          ...{ virtual, certSans: facts.osRoot, controlPlanes },
          endpoints: facts.endpoints.filter(({ id }) => ids.includes(id)).map(({ spec }) => spec),
        });
      // Without secrets there is no configuration yet, and what it reserves is not known.
      if (facts.osRoot !== undefined) {
        registry.declare({
          virtual,
          reserved: reservedAt([configuredEndpointId]),
          reservedBeforeList: reservedAt(
            [configuredEndpointId, seedEndpointId],
            await otherControlPlanes(pass),
          ),
        });
      }
      const isLeaving = (await pass.get(pointerTo(machineResetSignals))) !== undefined;
      registry.setMember({
        memberId: (await pass.get(pointerTo(etcdMembers)))?.spec.memberID,
        leaving: isLeaving ? (await pass.get(pointerTo(identities)))?.spec.nodeId : undefined,
      });
      registry.setOwn(facts.own === undefined || isLeaving ? undefined : recordFromAffiliate(facts.own));
      link?.adopt(planLink(facts));
    },
  };
}

/** The control planes that this node knows of, apart from itself. Until it has read a list they are those of the seed. */
async function otherControlPlanes(pass: ReconcilePass): Promise<AffiliateSpec[]> {
  const known = await pass.list(affiliates);
  return known
    .filter(({ metadata, spec }) => metadata.owner !== localOwner && isControlPlaneName(spec.machineType))
    .map(({ spec }) => spec);
}

async function linkFacts(pass: ReconcilePass): Promise<LinkFacts> {
  const [identity, machineType, known, etcdRoot, secrets, osRoot] = await Promise.all([
    pass.get(pointerTo(identities)),
    pass.get(pointerTo(machineTypes)),
    pass.list(endpoints),
    pass.get(pointerTo(etcdRootSecrets)),
    pass.get(pointerTo(etcdSecrets)),
    pass.get(pointerTo(osRootSecrets)),
  ]);
  const own = identity && (await pass.get(pointerTo(affiliates, identity.spec.nodeId)));
  return {
    machineType: machineType?.spec,
    // Only this node's own affiliate is published, never one that was read from the records of the cluster.
    own: own?.metadata.owner === localOwner ? own.spec : undefined,
    endpoints: known.map(({ metadata, spec }) => ({ id: metadata.id, spec })),
    etcdRoot: etcdRoot?.spec,
    etcdSecrets: secrets?.spec,
    osRoot: osRoot?.spec,
  };
}

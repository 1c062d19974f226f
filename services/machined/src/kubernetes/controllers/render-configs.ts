import { type Controller, exclusive, weak } from '@nodewright/controllers';
import {
  admissionControlText,
  auditPolicyText,
  authenticationText,
  authorizationText,
  schedulerConfigText,
} from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import {
  admissionControlConfigs,
  auditPolicyConfigs,
  authenticationConfigs,
  authorizationConfigs,
  configStatuses,
  schedulerConfigs,
} from '@nodewright/state/kinds';
import type { ComponentFiles } from '../domain/component-files.ts';
import { componentVersions } from '../domain/component-versions.ts';
import type { ComponentFileStore } from '../host/component-files.ts';
import { finalId } from './final-configs.ts';

const scheduler = pointerTo(schedulerConfigs, finalId('kube-scheduler'));

/**
 * Writes the configuration files of the components and publishes a version for the files of each: upstream's nodes have one version for
 * all, and replace each component for the files of another one. Source: Talos v1.14: k8s.RenderConfigsStaticPodController.
 *
 * @param root the folder below which the components find the files of the node; empty in containers
 */
export function createRenderConfigsController(files: ComponentFileStore, root: string): Controller {
  return {
    name: 'k8s.RenderConfigsStaticPodController',
    inputs: [
      weak(admissionControlConfigs, admissionControlConfigs.singleton),
      weak(auditPolicyConfigs, auditPolicyConfigs.singleton),
      weak(authorizationConfigs, authorizationConfigs.singleton),
      weak(authenticationConfigs, authenticationConfigs.singleton),
      weak(schedulerConfigs, scheduler.id),
    ],
    outputs: [exclusive(configStatuses)],
    async reconcile(pass) {
      const admission = await pass.get(pointerTo(admissionControlConfigs));
      const audit = await pass.get(pointerTo(auditPolicyConfigs));
      const authorization = await pass.get(pointerTo(authorizationConfigs));
      const authentication = await pass.get(pointerTo(authenticationConfigs));
      const final = await pass.get(scheduler);
      if (admission === undefined && audit === undefined && final === undefined) {
        await pass.replace(configStatuses, []);
        return files.write({});
      }
      if (admission === undefined || audit === undefined || final === undefined) return;
      if (authorization === undefined || authentication === undefined) return;
      const wanted: ComponentFiles = {
        'kube-apiserver': {
          'admission-control-config.yaml': admissionControlText(admission.spec),
          'auditpolicy.yaml': auditPolicyText(audit.spec),
          'authorization-config.yaml': authorizationText(authorization.spec),
          'authentication-config.yaml': authenticationText(authentication.spec),
        },
        'kube-scheduler': { 'scheduler-config.yaml': schedulerConfigText(final.spec, root) },
      };
      await files.write(wanted);
      const spec = { ready: true, version: componentVersions(wanted) };
      await pass.replace(configStatuses, [{ id: configStatuses.singleton, spec }]);
    },
  };
}

import type { Controller } from '@nodewright/controllers';
import type { EtcdPkiFiles } from '../../host/etcd/pki-files.ts';
import { createEtcdConfigController } from './config.ts';
import { createEtcdPkiController } from './pki.ts';
import { createEtcdSpecController } from './spec.ts';

export interface EtcdControllersInit {
  /** Where etcd listens where the host's other addresses belong to other nodes. */
  readonly own: readonly string[] | undefined;
  /** Undefined where this node has no way to run etcd. */
  readonly pki: EtcdPkiFiles | undefined;
}

/** Source: Talos v1.14: COSI resources, etcd. */
export function etcdControllers({ own, pki }: EtcdControllersInit): Controller[] {
  return [
    createEtcdConfigController(),
    createEtcdSpecController(own),
    ...(pki === undefined ? [] : [createEtcdPkiController(pki)]),
  ];
}

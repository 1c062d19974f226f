import type { Condition } from '../../base/domain/condition.ts';
import type { EtcdActions } from '../controllers/etcd-controllers.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import type { EtcdService } from './etcd-service.ts';

/** etcd as this node has it. */
export interface NodeEtcd {
  readonly access: EtcdAccess;
  /** Undefined where this node has no way to run it. */
  readonly run: RunnableEtcd | undefined;
}

export interface RunnableEtcd {
  readonly service: EtcdService;
  readonly actions: EtcdActions;
  /** The clock can be trusted. */
  readonly timeSync: Condition;
}

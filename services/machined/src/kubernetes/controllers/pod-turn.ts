import {
  type RestartRequest,
  type ServiceController,
  serviceController,
  weak,
} from '@nodewright/controllers';
import { staticPodStatuses, staticPods } from '@nodewright/state/kinds';
import type { PodGrant } from '../host/pod-grant.ts';
import type { PodProblems } from '../host/pod-problems.ts';
import type { ReplaceInTurn } from '../host/pod-service.ts';
import type { ReplaceInTurnInit } from '../host/replace-in-turn.ts';
import type { ServerContainer } from '../host/server-container.ts';

export interface PodTurnInit {
  readonly grant: PodGrant;
  readonly problems: PodProblems;
  readonly replaceInTurn: ReplaceInTurn;
  readonly container: Pick<ServerContainer, 'observe' | 'isUnreported' | 'obstacle' | 'checkSuccessor'>;
  /** Whether the API server of this node is ready. */
  readonly checkOwn: ReplaceInTurnInit['checkOwn'];
}

const component = 'kube-apiserver';

/** Lets the kubelet replace the API server when it is the turn of this node, and reports why it is not. */
export function createPodTurnController(init: PodTurnInit): ServiceController {
  const { grant, container } = init;
  const controller = serviceController({
    name: 'k8s.ReplaceAPIServerController',
    inputs: [weak(staticPods, component), weak(staticPodStatuses)],
    wanted: () => (grant.wanted === undefined ? undefined : { settings: grant.wanted }),
    service: {
      start: () => {},
      stop: async () => {},
      launchedWith: () => grant.published,
      restart: (request) => replaceNow(init, request),
    },
  });
  return {
    ...controller,
    open(source, scope) {
      scope.use(grant.onChange(() => source.wake()));
      return controller.open?.(source, scope);
    },
    async reconcile(pass) {
      // Each change of the statuses is seen, because they are empty later, while the kubelet restarts.
      await container.observe();
      await controller.reconcile(pass);
    },
  };
}

function replaceNow(init: PodTurnInit, request: RestartRequest) {
  const { grant, problems, replaceInTurn, container } = init;
  let { checkOwn } = init;
  return replaceInTurn(
    {
      checkOwn: (timeoutMs) => checkOwn(timeoutMs),
      obstacle: () => container.obstacle(),
      isReplacerAway: () => container.isUnreported(),
      async replace() {
        checkOwn = await container.checkSuccessor(init.checkOwn);
        await grant.grant(request.signal);
      },
      report: (problem) => problems.report(component, grant.published ?? '', problem),
    },
    request,
  );
}

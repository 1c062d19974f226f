// Simulated machines that are upgraded and go back, for tests of clients.
import { ImageServicePullRequest, ImageServicePullResponse } from '@nodewright/contract/gen/machine/image.ts';
import {
  LifecycleServiceUpgradeRequest,
  LifecycleServiceUpgradeResponse,
} from '@nodewright/contract/gen/machine/lifecycle.ts';
import {
  ImagePullResponse,
  RollbackResponse,
  ServiceListResponse,
  VersionResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { UpgradeResponse } from '@nodewright/contract/gen/suite/upgrade/v1/upgrade.ts';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';
import { FakeMachine, sequenceEvent, statusEvent, taskEvent } from './fake-machine.ts';
import { healthyCluster, reply } from './replies.ts';

/** The name that a pull of any artefact answers. */
export const pinned = `registry.example/installer@sha256:${'a'.repeat(64)}`;

/** What the nodes do. */
export interface NodeBehaviour {
  readonly tag: string;
  readonly exitCode: number | undefined;
  readonly lines: readonly string[];
  readonly hasImageService: boolean;
  readonly hasOwnService: boolean;
  readonly hasKubelet: boolean;
  readonly rollbackProblem: string | undefined;
}

const usual: NodeBehaviour = {
  ...{ tag: 'v1.14.0', exitCode: 0, lines: ['writes slot B', 'the next start tries slot B'] },
  ...{ hasImageService: true, hasOwnService: true, hasKubelet: false, rollbackProblem: undefined },
};

type LifecycleResponse = { $case: 'message'; value: string } | { $case: 'exitCode'; value: number };

export class UpgradedNodes {
  behaviour = usual;
  /** Nodes whose upgrade ends with another exit code. */
  readonly failing = new Map<string, number>();
  /** The calls that change a node, in order: `node01 ImageService/Pull`. */
  readonly calls: string[] = [];
  /** Their requests. */
  readonly requests: unknown[] = [];
  readonly handlers: Readonly<Record<string, FakeHandler>>;
  readonly #machines = new Map<string, FakeMachine>();

  constructor() {
    const ofMachines = Object.keys(new FakeMachine().handlers).map((path): [string, FakeHandler] => [
      path,
      (call) => {
        if (/(Reboot|Upgrade)$/.test(path)) this.#note(call, undefined);
        return this.machine(call.node).handlers[path]?.(call);
      },
    ]);
    this.handlers = { ...healthyCluster, ...Object.fromEntries(ofMachines), ...this.#own() };
  }

  /** A client with one node only names none. */
  machine(name = 'node01'): FakeMachine {
    const machine = this.#machines.get(name) ?? new FakeMachine();
    this.#machines.set(name, machine);
    return machine;
  }

  /** Lets a machine restart as a real one does. */
  reboots(name = 'node01'): FakeMachine {
    const machine = this.machine(name);
    machine.tell(statusEvent(4, true));
    machine.act = (actor) => {
      machine.tell(sequenceEvent('reboot', 1), actor);
      machine.tell(taskEvent('stopAllServices', 0), actor);
      setTimeout(() => machine.goDown(), 100);
      setTimeout(() => machine.comeBack(), 1200);
    };
    return machine;
  }

  reset(): void {
    this.behaviour = usual;
    this.failing.clear();
    this.#machines.clear();
    this.calls.length = 0;
    this.requests.length = 0;
  }

  #note({ node = 'node01', path }: FakeCall, request: unknown): void {
    this.calls.push(`${node} ${path.slice(path.lastIndexOf('.') + 1)}`);
    this.requests.push(request);
  }

  #own(): Record<string, FakeHandler> {
    return {
      '/machine.MachineService/Version': (call) =>
        reply(call, VersionResponse, { messages: [{ version: { tag: this.behaviour.tag } }] }),
      '/machine.MachineService/ServiceList': (call) => {
        const services = [{ id: this.behaviour.hasKubelet ? 'kubelet' : 'apid' }];
        return reply(call, ServiceListResponse, { messages: [{ services }] });
      },
      '/machine.ImageService/Pull': (call) => {
        if (!this.behaviour.hasImageService) return call.fail(12, 'unknown service machine.ImageService');
        this.#note(call, ImageServicePullRequest.decode(call.request));
        return reply(call, ImageServicePullResponse, { response: { $case: 'name', value: pinned } });
      },
      '/machine.MachineService/ImagePull': (call) => {
        this.#note(call, undefined);
        return reply(call, ImagePullResponse, { messages: [{}] });
      },
      '/machine.LifecycleService/Upgrade': (call) => this.#lifecycle(call),
      '/suite.upgrade.v1.UpgradeService/Upgrade': (call) => this.#ownUpgrade(call),
      '/machine.MachineService/Rollback': (call) => {
        const { rollbackProblem } = this.behaviour;
        this.#note(call, undefined);
        if (rollbackProblem !== undefined) return call.fail(9, rollbackProblem);
        return reply(call, RollbackResponse, { messages: [{}] });
      },
    };
  }

  #lifecycle(call: FakeCall): void {
    const { lines, exitCode: usually } = this.behaviour;
    this.#note(call, LifecycleServiceUpgradeRequest.decode(call.request));
    const send = (response: LifecycleResponse) =>
      call.send(
        LifecycleServiceUpgradeResponse.encode(
          LifecycleServiceUpgradeResponse.fromPartial({ progress: { response } }),
        ).finish(),
      );
    for (const line of lines) send({ $case: 'message', value: `${line}\n` });
    const exitCode = this.failing.get(call.node ?? '') ?? usually;
    if (exitCode !== undefined) send({ $case: 'exitCode', value: exitCode });
    call.end();
  }

  /** The request that it notes is the number of bytes that arrived. */
  #ownUpgrade(call: FakeCall): void {
    const { hasOwnService, lines } = this.behaviour;
    if (!hasOwnService) {
      call.fail(12, 'unknown service suite.upgrade.v1.UpgradeService');
      return;
    }
    this.#note(call, call.request.length);
    const send = (event: NonNullable<Parameters<typeof UpgradeResponse.fromPartial>[0]['event']>) =>
      call.send(UpgradeResponse.encode(UpgradeResponse.fromPartial({ event })).finish());
    for (const line of lines) send({ $case: 'progress', value: { line } });
    send({ $case: 'prepared', value: { isStaged: false } });
    call.end();
  }
}

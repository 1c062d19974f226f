// Simulated nodes that store a machine configuration: they take over what they are sent, unless they refuse
// it.
import {
  ApplyConfigurationRequest,
  ApplyConfigurationResponse,
  MetaDeleteRequest,
  MetaDeleteResponse,
  MetaWriteRequest,
  MetaWriteResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { EncodedSpec, type MemoryState, pointerTo, type ResourceKind } from '@nodewright/state';
import { machineConfigs, members, yamlSpecAnnotation } from '@nodewright/state/kinds';
import type { FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

export const sampleConfig = `version: v1alpha1
machine:
    type: worker
    token: aaaaaa.bbbbbbbbbbbbbbbb # ours
---
apiVersion: v1alpha1
kind: HostnameConfig
hostname: first
`;

export interface SentConfig {
  readonly node: string | undefined;
  readonly text: string;
  readonly mode: number;
  readonly dryRun: boolean;
  readonly seconds: number | undefined;
}

const kinds: readonly ResourceKind[] = [machineConfigs, members];

/** The nodes of a simulated cluster and the requests that they got. */
export class FakeNodes {
  readonly sent: SentConfig[] = [];
  readonly meta: string[] = [];
  readonly handlers: Readonly<Record<string, FakeHandler>>;

  private constructor(stores: Map<string, MemoryState>) {
    this.handlers = {
      ...healthyCluster,
      ...stateHandlers(kinds, (node = '') => {
        const store = stores.get(node);
        if (store === undefined) throw new Fault('permission-denied', 'not authorized');
        return store;
      }),
      '/machine.MachineService/ApplyConfiguration': (call) => {
        const { data, mode, dryRun, tryModeTimeout } = ApplyConfigurationRequest.decode(call.request);
        const text = data.toString();
        const seconds = tryModeTimeout && Number(tryModeTimeout.seconds);
        this.sent.push({ node: call.node, text, mode, dryRun, seconds });
        if (text.includes('hostname: bad')) return call.fail(3, 'HostnameConfig: bad hostname\nsecond line');
        if (text.includes('hostname: locked')) return call.fail(7, 'not authorized');
        const modeDetails = dryRun
          ? 'Dry run summary:\nApplied configuration without a reboot (skipped in dry-run).\nConfig diff:\n\n--- a\n+++ b\n@@ -1 +1 @@\n-hostname: first\n+hostname: second\n'
          : 'Applied configuration without a reboot';
        const warnings = text.includes('hostname: odd') ? ['odd hostname'] : [];
        reply(call, ApplyConfigurationResponse, {
          messages: [{ mode: mode === 1 ? 2 : mode, modeDetails, warnings }],
        });
      },
      '/machine.MachineService/MetaWrite': (call) => {
        const { key, value } = MetaWriteRequest.decode(call.request);
        this.meta.push(`${call.node} ${key}=${value}`);
        reply(call, MetaWriteResponse, { messages: [{}] });
      },
      '/machine.MachineService/MetaDelete': (call) => {
        const { key } = MetaDeleteRequest.decode(call.request);
        this.meta.push(`${call.node} -${key}`);
        if (key === 99) return call.fail(5, 'META key 99 is not there');
        reply(call, MetaDeleteResponse, { messages: [{}] });
      },
    };
  }

  /**
   * `node01` and `node02` with the sample configuration; for `trying`, the stored one is not the one in
   * force; `bare` has none.
   */
  static async open(): Promise<FakeNodes> {
    const config = (id: string, spec: string) => ({
      ...pointerTo(machineConfigs, id),
      ...{ spec, annotations: yamlSpecAnnotation },
    });
    const both = (stored: string) =>
      openNodeStore(kinds, [config('v1alpha1', sampleConfig), config('persistent', stored)]);
    const stores = new Map<string, MemoryState>([
      ['node01', await both(sampleConfig)],
      ['node02', await both(sampleConfig)],
      ['trying', await both(sampleConfig.replace('first', 'before'))],
      ['bare', await openNodeStore(kinds, [])],
    ]);
    // Sets no annotation, and sends the text unchanged.
    const old = await openNodeStore(kinds, []);
    const text = new EncodedSpec(sampleConfig, new Uint8Array());
    await old.create({ ...pointerTo(machineConfigs, 'v1alpha1'), spec: text as never });
    return new FakeNodes(stores.set('old', old));
  }
}

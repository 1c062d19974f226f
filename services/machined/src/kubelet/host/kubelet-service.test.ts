import { test } from 'node:test';
import type { ContainerRuntime } from '@nodewright/containers';
import { FakeTimers, openTestRuntime } from '@nodewright/controllers/testing';
import { ServiceManager } from '@nodewright/services';
import { LogStore } from '@nodewright/services/logs';
import { pointerTo, putResource } from '@nodewright/state';
import { kubeletSecrets, kubeletSpecs } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { createKubeletServiceController } from '../controllers/kubelet-service.ts';
import { KubeletService, kubeletLaunchSettings } from './kubelet-service.ts';

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const never = new AbortController().signal;
const secrets = kubeletSecrets.codec.fromProto(new Uint8Array());
const specOf = (image: string) => ({ ...kubeletSpecs.codec.fromProto(new Uint8Array()), image });
/** A runtime that starts nothing. What is tested happens before. */
const runtime = {
  name: 'none',
  namespace: () => ({}),
} as unknown as ContainerRuntime;

/** A node whose kubelet cannot be prepared while `isBroken` says so of its image. */
async function openNode(isBroken: (image: string) => boolean) {
  let service: KubeletService | undefined;
  const follower = createKubeletServiceController({
    start: () => service?.start(),
    stop: async () => service?.stop(),
    launchedWith: () => service?.launchedWith(),
    restart: async (request) => service?.restart(request),
    hasFailed: () => service?.hasFailed() ?? false,
    onFailure: (listener) => services.failureOf('kubelet').onFailure(listener),
  });
  const services = new ServiceManager({
    ...{ log, telemetry: noTelemetry, timers: new FakeTimers() },
    mayComeLater: () => true,
  });
  const controllers = openTestRuntime({ controllers: [follower] });
  service = new KubeletService({
    ...{ state: controllers.state, runtime, services, logs: new LogStore() },
    ...{ conditions: [], dependsOn: [], capabilities: [], restartIntervalMs: 60_000 },
    async prepare({ spec }) {
      if (isBroken(spec.image)) throw new Error(`${spec.image} cannot be prepared`);
    },
    prepareCgroup: async () => {},
  });
  await putResource(controllers.state, { ...pointerTo(kubeletSecrets), spec: secrets });
  await follower.begin(never);
  return {
    advance: (ms: number) => controllers.advance(ms),
    want: (image: string) =>
      putResource(controllers.state, { ...pointerTo(kubeletSpecs), spec: specOf(image) }),
    /** Waits until the kubelet failed to start this many times. */
    failed: (times: number) =>
      eventually(
        async () => {
          await controllers.settled();
          const entries = services.records()[0]?.history ?? [];
          return entries.filter(({ state }) => state === 'Failed').length === times;
        },
        { what: `failure ${times} of the kubelet` },
      ),
    launched: (image: string) =>
      eventually(
        async () => {
          await controllers.settled();
          return service.launchedWith() === kubeletLaunchSettings({ spec: specOf(image), secrets });
        },
        { what: `the launch of ${image}` },
      ),
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      await controllers[Symbol.asyncDispose]();
    },
  };
}

test('a kubelet that could not be prepared starts with the corrected configuration', async () => {
  await using node = await openNode((image) => image === 'broken');
  await node.want('broken');
  await node.failed(1);
  await node.want('correct');
  await node.launched('correct');
});

test('a kubelet that could not be prepared starts again by itself when the reason has passed', async () => {
  let isBroken = true;
  await using node = await openNode(() => isBroken);
  await node.want('image');
  await node.failed(1);
  await node.advance(5_000);
  await node.failed(2);
  isBroken = false;
  await node.advance(10_000);
  await node.launched('image');
});

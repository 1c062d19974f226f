import { openTalosClient, type TalosClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { createUnsampledTelemetry, noTelemetry } from '@nodewright/telemetry';
import type { CliEnvironment } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { isTracingConfigured } from '../context/with-command-span.ts';
import type { NodeOptions } from './node-options.ts';
import { readContext } from './talosconfig-of.ts';

/**
 * Opens the client for a command line. Its targets are the nodes of `--nodes`, or else those of the context, or else
 * the first endpoint. With fingerprints and no `--endpoints`, the nodes themselves are dialled. The caller must dispose it.
 *
 * @param session a text by which the request logs of nodes identify the calls of this client
 */
export async function openClient(
  env: CliEnvironment,
  options: NodeOptions,
  session?: string,
): Promise<TalosClient> {
  // A program that calls at intervals would fill what keeps the traces of nodes.
  const silent = session === undefined ? noTelemetry : createUnsampledTelemetry();
  const telemetry = isTracingConfigured(env.environment) ? await env.telemetry() : silent;
  const { nodes = [], endpoints = [], cluster, insecure = false, certFingerprint = [] } = options;
  if (insecure) {
    if (nodes.length === 0) throw new UsageFault('flag --insecure needs --nodes');
    return openTalosClient({ nodes, insecure: { fingerprints: certFingerprint }, telemetry, session });
  }
  const { name, context, path } = await readContext(env, options);
  const fingerprints = certFingerprint.length > 0 ? certFingerprint : undefined;
  if (fingerprints !== undefined && endpoints.length === 0) {
    // The endpoints of the context are other servers than the one with this key.
    if (nodes.length === 0)
      throw new UsageFault('flag --cert-fingerprint needs --nodes, which it dials directly, or --endpoints');
    return openTalosClient({ context, nodes, cluster, fingerprints, telemetry, session });
  }
  const usedEndpoints = endpoints.length > 0 ? endpoints : context.endpoints;
  if (usedEndpoints.length === 0) {
    throw new Fault(
      'failed-precondition',
      `context "${name}" of talosconfig ${path} has no endpoints: set them with "talosctl config endpoint <host>", or give --endpoints`,
    );
  }
  return openTalosClient({
    context,
    endpoints: usedEndpoints,
    nodes: nodes.length > 0 ? nodes : context.nodes,
    cluster,
    fingerprints,
    telemetry,
    session,
  });
}

/** The names of the nodes that a command line is for. Throws as `openClient` does. */
export async function targetNames(env: CliEnvironment, options: NodeOptions): Promise<string[]> {
  using client = await openClient(env, options);
  return client.targets.map(({ name }) => name);
}

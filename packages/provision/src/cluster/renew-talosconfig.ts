import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import { decodeSecrets, generateTalosconfig } from '@nodewright/machine-config';

/**
 * The administrator's talosconfig of a cluster with a new certificate, signed by the CA in its `secrets.yaml`.
 *
 * @throws Fault `failed-precondition` when the CA of the cluster is another one by now
 */
export async function renewTalosconfig(talosconfig: string, secretsText: string, now: Date): Promise<string> {
  const { context: clusterName, contexts } = parseTalosconfig(talosconfig);
  const secrets = decodeSecrets(secretsText);
  const { ca, endpoints, nodes } = contexts.get(clusterName) ?? { endpoints: [], nodes: [] };
  const renewed = await generateTalosconfig({ secrets, clusterName, endpoints, nodes, now });
  if (parseTalosconfig(renewed).contexts.get(clusterName)?.ca === ca) return renewed;
  throw new Fault('failed-precondition', 'the CA in secrets.yaml is not the one of its talosconfig');
}

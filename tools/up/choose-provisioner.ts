import type { EngineAnswer } from '@nodewright/provision/engine';

export interface ProvisionerChoice {
  /** The value of `PROVISIONER=`; empty when the user set none. */
  readonly wanted: string;
  /** The provisioner of the cluster, if the cluster exists. */
  readonly existing: string | undefined;
  readonly engine: EngineAnswer;
}

/** Docker when an engine answers, else processes, unless the user or an existing cluster decides. */
export function chooseProvisioner({ wanted, existing, engine }: ProvisionerChoice): {
  readonly provisioner: string;
  /** One line that tells the user about the choice; absent when the user made it. */
  readonly note?: string;
} {
  if (wanted !== '') return { provisioner: wanted };
  if (existing !== undefined) return { provisioner: existing };
  if (engine.state === 'ready') return { provisioner: 'docker' };
  return { provisioner: 'process', note: `${engine.advice}: using processes` };
}

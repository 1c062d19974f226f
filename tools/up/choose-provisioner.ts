import type { EngineAnswer } from '@nodewright/provision/engine';

export interface ProvisionerChoice {
  /** What the user asked for, `PROVISIONER=`; empty for no wish. */
  readonly wanted: string;
  /** Which provisioner made the cluster, if it exists. */
  readonly existing: string | undefined;
  readonly engine: EngineAnswer;
}

/** Docker where an engine answers and processes otherwise, unless the user or an existing cluster says. */
export function chooseProvisioner({ wanted, existing, engine }: ProvisionerChoice): {
  readonly provisioner: string;
  /** One line for the user, when the choice was not theirs. */
  readonly note?: string;
} {
  if (wanted !== '') return { provisioner: wanted };
  if (existing !== undefined) return { provisioner: existing };
  if (engine.state === 'ready') return { provisioner: 'docker' };
  return { provisioner: 'process', note: `${engine.advice}: using processes` };
}

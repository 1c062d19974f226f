import { defineKind } from '../meta/define-kind.ts';
import { defineSpec } from '../spec/define-spec.ts';
import { integer, ip, list, message, optional, text } from '../spec/field-types.ts';
import { type MachineTypeName, machineType } from './machine-type.ts';

export interface MemberSpec {
  readonly nodeId: string;
  /** IP addresses, the preferred one first. */
  readonly addresses: readonly string[];
  /** Fully qualified where it is known so. */
  readonly hostname: string;
  readonly machineType: MachineTypeName;
  /** `Talos (v1.14.0)`. */
  readonly operatingSystem: string;
  /** Where Kubernetes answers on a control plane. */
  readonly controlPlane: { readonly port: number } | undefined;
}

/** The nodes of the cluster, by name. */
export const members = defineKind<MemberSpec>({
  type: 'Members.cluster.talos.dev',
  defaultNamespace: 'cluster',
  printColumns: {
    Hostname: '{.hostname}',
    'Machine Type': '{.machineType}',
    OS: '{.operatingSystem}',
    Addresses: '{.addresses}',
  },
  codec: defineSpec<MemberSpec>({
    nodeId: { number: 1, type: text },
    addresses: { number: 2, type: list(ip) },
    hostname: { number: 3, type: text },
    machineType: { number: 4, type: machineType },
    operatingSystem: { number: 5, type: text },
    controlPlane: {
      number: 6,
      type: optional(message<{ readonly port: number }>({ port: { number: 1, type: integer } })),
      omitEmpty: true,
    },
  }),
});
